// After `npm run test:all`: the suites of the simulators have passed with the inputs as they are.
import { writeProven } from '../test/simulators.ts'

writeProven()
