/** Computes the result for each object once, because many rules need it; it is kept as long as the object. */
export const rememberedFor = <K extends WeakKey, A>(compute: (key: K) => A): ((key: K) => A) => {
  const answers = new WeakMap<K, { readonly answer: A }>()
  return (key) => {
    const known = answers.get(key) ?? { answer: compute(key) }
    answers.set(key, known)
    return known.answer
  }
}
