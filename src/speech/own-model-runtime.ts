// Checks for the optional package that runs the operator's own models. It has 39 MB and few need it, so it is installed by hand.
import { orNull } from '../kit/or-null.ts'

const PACKAGE = 'sherpa-onnx-node'
const VERSION = '1.13.8'

/** How to install the package; null if it is installed. */
export function runtimeProblem(resolve: (name: string) => string = (name) => import.meta.resolve(name)): string | null {
  if (orNull(() => resolve(PACKAGE)) !== null) return null
  return `An own speech model needs the package ${PACKAGE}, which is not installed. Run: npm install --no-save ${PACKAGE}@${VERSION}`
}
