// SEATS=measured with real bots: the use of their workers is measured, and the load of the machine is set by the test.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { monotonicMs } from '../../src/kit/monotonic.ts'
import { ADA, NO_VIDEO, Stage, withoutCamera } from '../helpers/meetings/bot-in-room.ts'
import { startTestService } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

/** A bot has settled after 15 s, and a whole measurement takes 5 s. */
const MEASURED_WITHIN_MS = 90_000

/** With 15 % kept free, one core has room for one reservation of half a core. */
const machine = { cores: 1, otherWork: 0 }
let samples = 0
let stage: Stage
beforeAll(async () => {
  let [seconds, lastMs] = [0, monotonicMs()]
  const busySeconds = async () => {
    const nowMs = monotonicMs()
    seconds += (machine.otherWork * (nowMs - lastMs)) / 1000
    lastMs = nowMs
    samples += 1
    return seconds
  }
  const measured = { busySeconds, cores: async () => machine.cores, freeMegabytes: () => 100_000 }
  const service = await startTestService({ SEATS: 'measured', BOT_WORKERS: '1' }, { machine: measured })
  stage = new Stage(service)
}, 60_000)
afterAll(async () => {
  await stage?.service.stop()
})

const holderOf = async (id: string) =>
  (await stage.service.db.selectFrom('bots').select('node_id').where('id', '=', id).executeTakeFirstOrThrow()).node_id

/** The third sample is taken once the whole period between the first two is known. */
async function setOtherWork(cores: number): Promise<void> {
  machine.otherWork = cores
  const before = samples
  await until('a whole period with this load is measured', () => samples >= before + 3, MEASURED_WITHIN_MS)
}

const isQueued = async (id: string) => 'Queued' in (await stage.detail(id)).StatusTimeline

test('takes the next bot when the use of the first is known, and none while the machine is busy', async () => {
  await stage.cast('measured', withoutCamera(ADA))
  const createdMs = monotonicMs()
  const first = await stage.send('measured', { bot_name: 'First', ...NO_VIDEO })
  await until('the first bot has a seat', () => holderOf(first), 30_000)
  const second = await stage.send('measured', { bot_name: 'Second', ...NO_VIDEO })
  await until('the second bot waits behind the reservation of the first', () => isQueued(second), 20_000)
  await until('the second bot has a seat', () => holderOf(second), MEASURED_WITHIN_MS)
  // A reservation lasts for 15 s.
  expect(monotonicMs() - createdMs).toBeGreaterThan(15_000)
  await stage.has(first, 'Recording')
  await stage.has(second, 'Recording', 60_000)

  await setOtherWork(1)
  const third = await stage.send('measured', { bot_name: 'Third', ...NO_VIDEO })
  await until('the third bot waits', () => isQueued(third), 20_000)
  await setOtherWork(0)
  await until('the node offers a seat, and the third bot gets it', () => holderOf(third), MEASURED_WITHIN_MS)
  for (const id of [first, second, third]) expect((await stage.service.api('GET', `/api/v1/bots/${id}/remove_bot`)).status).toBe(200)
}, 240_000)
