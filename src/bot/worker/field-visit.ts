// Joins a meeting as a bot does, stays for a while, leaves, and returns what was seen on the way, redacted.
import type { JsonObject } from '../../domain/bot.ts'
import type { DoorVisit, FieldOrders } from '../../domain/doctor.ts'
import type { FieldStep } from '../../domain/field-kit.ts'
import { firstLine } from '../../kit/failure.ts'
import type { JoinWitness } from '../drivers/browser-meeting/join-witness.ts'
import { pageRulesFor } from '../drivers/browser-meeting/own-page-rules.ts'
import { Witness } from '../drivers/browser-meeting/witness.ts'
import type { MeetingDriver } from '../drivers/driver.ts'
import { driverOf, folderOf } from '../drivers/registry.ts'
import { knownWords } from '../field-kit/known-words.ts'
import { redactJoin } from '../field-kit/redact.ts'

const KNOCK_WITHIN_MS = 120_000

type FieldVisit = FieldOrders & Pick<DoorVisit, 'driver' | 'spec' | 'pageRules'>

/** `open` opens the page with the witness. Aborting the signal makes the bot leave. */
export async function visitField(
  { driver: name, spec, pageRules, staySeconds, withPictures }: FieldVisit,
  open: (witness: JoinWitness) => Promise<MeetingDriver>,
  signal: AbortSignal,
): Promise<readonly FieldStep[]> {
  const client = driverOf(name)
  const witness = new Witness({ client: { ...client, pageRules: await pageRulesFor(client, pageRules) }, withPictures, now: Date.now })
  try {
    const driver = await open(witness)
    try {
      const { verdict, message } = await join(driver, witness, { spec, staySeconds, signal })
      witness.add({ kind: 'verdict', verdict, message })
    } finally {
      await driver.leave('politely')
    }
  } catch (error) {
    witness.add({ kind: 'verdict', verdict: 'failed', message: firstLine(error) })
  }
  return redactJoin(witness.steps, spec, knownWords(folderOf(name)))
}

type Stay = Pick<FieldVisit, 'spec' | 'staySeconds'> & { readonly signal: AbortSignal }
type Verdict = { readonly verdict: string; readonly message: string | null }

async function join(driver: MeetingDriver, witness: Witness, { spec, staySeconds, signal }: Stay): Promise<Verdict> {
  const status = (it: string, message: string | null = null) => witness.add({ kind: 'status', status: it, message })
  status('knocks')
  const knocked = await driver.knock(AbortSignal.any([signal, AbortSignal.timeout(KNOCK_WITHIN_MS)]))
  if (knocked.kind !== 'asked') return { verdict: knocked.reason, message: knocked.message }
  status('waits to be let in')
  const waiting = AbortSignal.timeout(spec.leave.waitingRoomSeconds * 1000)
  const entered = await driver.enter(AbortSignal.any([signal, waiting]))
  if (entered.kind === 'over') return { verdict: entered.reason, message: entered.message }
  if (entered.kind !== 'admitted') return { verdict: signal.aborted ? 'aborted' : entered.kind, message: null }
  status('is inside')
  return stay(driver, witness, AbortSignal.any([signal, AbortSignal.timeout(staySeconds * 1000)]))
}

async function stay(driver: MeetingDriver, witness: Witness, signal: AbortSignal): Promise<Verdict> {
  // Leaving ends the events. `visitField` leaves once more, and passes on why that fails.
  const leave = (): void => {
    driver.leave('politely').catch(() => undefined)
  }
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave)
  let cause: string = 'stayed'
  for await (const event of driver.events()) {
    witness.add({ kind: 'event', event: event as unknown as JsonObject })
    if (event.kind === 'ended') cause = event.cause
  }
  signal.removeEventListener('abort', leave)
  return { verdict: `admitted, then ${cause}`, message: null }
}
