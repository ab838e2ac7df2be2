/** Computes the answer for each object once, as long as the object lives: many rules ask the same of the same one. */
export const rememberedFor = <K extends WeakKey, A>(compute: (key: K) => A): ((key: K) => A) => {
  const answers = new WeakMap<K, { readonly answer: A }>()
  return (key) => {
    const known = answers.get(key) ?? { answer: compute(key) }
    answers.set(key, known)
    return known.answer
  }
}
