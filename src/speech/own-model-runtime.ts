// The package that runs weights of the operator's own. It is 39 MB that few need, so it is installed by hand.

const PACKAGE = 'sherpa-onnx-node'
const VERSION = '1.13.8'

/** What to do about it where it is not installed; null where it is. */
export function runtimeProblem(resolve: (name: string) => string = (name) => import.meta.resolve(name)): string | null {
  try {
    resolve(PACKAGE)
    return null
  } catch {
    return `Weights of your own are run by the package ${PACKAGE}, which is not installed. Run: npm install --no-save ${PACKAGE}@${VERSION}`
  }
}
