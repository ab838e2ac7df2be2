/** An embedded `.wasm` file: at run time its import is a path that Bun can read, inside the binary too. */
declare module "*.wasm" {
  const path: string
  export default path
}
