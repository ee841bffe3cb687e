// Bots whose page freezes, whose renderer dies or whose Chromium is killed.
import path from 'node:path'
import { expect, test } from 'vitest'
import { readRecording } from '../../helpers/media/recording.ts'
import { ADA, BEN, NO_VIDEO, Stage, withoutCamera } from '../../helpers/meetings/bot-in-room.ts'
import { serviceForFile } from '../../helpers/service/for-file.ts'
import { processesUnderWorkers } from '../../helpers/service/worker-processes.ts'
import { until } from '../../helpers/until.ts'

/** A whole meeting on a busy machine. */
const LONG_MS = 90_000

const stage = new Stage(serviceForFile({ BOT_WORKERS: '1' }))

const renderers = () => new Set(processesUnderWorkers('--type=renderer'))
const fenceOf = async (id: string) =>
  (await stage.service.db.selectFrom('bots').select('fence').where('id', '=', id).executeTakeFirstOrThrow()).fence
const recordingOf = (id: string) => readRecording(path.join(stage.service.directory, 'recordings', id))
const gaps = (id: string) => recordingOf(id).facts.filter(({ fact }) => fact === 'gap')
const lastMs = (id: string) => Math.max(0, ...recordingOf(id).tracks.flatMap(({ segments }) => segments.map(({ endMs }) => endMs)))
const isBack = (id: string, fence: number) =>
  until(
    'the bot is back and records',
    async () => {
      const before = gaps(id).at(-1)
      return (await fenceOf(id)) >= fence && before?.fact === 'gap' && lastMs(id) > before.toMs
    },
    40_000,
  )

/** Two bots of one worker in separate rooms, and the renderer processes of the second. */
async function twoBots(name: string, wish: object = {}) {
  await stage.cast(`${name}-one`, withoutCamera(ADA))
  const { people } = await stage.cast(`${name}-two`, withoutCamera(BEN))
  const first = await stage.send(`${name}-one`, { bot_name: 'First', ...NO_VIDEO })
  await stage.has(first, 'Recording')
  await until('the first records', () => lastMs(first) > 0, 20_000)
  const before = renderers()
  const second = await stage.send(`${name}-two`, { bot_name: 'Second', ...NO_VIDEO, ...wish })
  await stage.has(second, 'Recording')
  await until('the second records', () => lastMs(second) > 0, 20_000)
  const its = [...renderers()].filter((pid) => !before.has(pid))
  expect(its.length).toBeGreaterThan(0)
  // On a busy machine a claim may lapse before its bot has a seat, and the next claim has a higher fence.
  return { first, second, its, others: people, fences: [await fenceOf(first), await fenceOf(second)] as const }
}

test(
  'rejoins after its renderer dies, and does not disturb the other bot of its worker',
  async () => {
    const { first, second, its, fences } = await twoBots('dead')
    const before = lastMs(first)
    const died = Date.now()
    for (const pid of its) process.kill(pid, 'SIGKILL')
    await until('it is claimed again', async () => (await fenceOf(second)) > fences[1], 10_000)
    expect(Date.now() - died).toBeLessThan(10_000)
    await isBack(second, fences[1] + 1)
    expect(await fenceOf(first)).toBe(fences[0])
    expect(gaps(first)).toEqual([])
    await until('the first went on all the time', () => lastMs(first) > before + 3_000, 10_000)
    expect((await stage.detail(second)).Evidence.at(-1)).toMatchObject({ step: 'stay', message: 'The browser of the bot crashed' })
    for (const id of [first, second]) {
      expect((await stage.detail(id)).Status).toBe('InMeeting')
      await stage.remove(id)
    }
  },
  LONG_MS,
)

test(
  'detects a frozen page within ten seconds and rejoins',
  async () => {
    const { first, second, its, fences } = await twoBots('frozen')
    const froze = Date.now()
    for (const pid of its) process.kill(pid, 'SIGSTOP')
    await until('it is claimed again', async () => (await fenceOf(second)) > fences[1], 20_000)
    expect(Date.now() - froze).toBeLessThan(15_000)
    for (const pid of its) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // Chromium has ended it already.
      }
    }
    await isBack(second, fences[1] + 1)
    expect(await fenceOf(first)).toBe(fences[0])
    for (const id of [first, second]) await stage.remove(id)
  },
  LONG_MS,
)

test(
  'rejoins with all bots of a killed Chromium, greets once and reports the absence',
  async () => {
    const { first, second, others, fences } = await twoBots('killed', { bot_message: 'Good morning.' })
    const greetings = () => others.flatMap(({ chat }) => chat).filter(({ text }) => text === 'Good morning.').length
    await until('the greeting is there', () => greetings() === 1, 20_000)
    const [browser] = processesUnderWorkers('--remote-debugging').filter((pid) => !renderers().has(pid))
    expect(browser).toBeDefined()
    if (browser) process.kill(browser, 'SIGKILL')
    await isBack(first, fences[0] + 1)
    await isBack(second, fences[1] + 1)
    for (const id of [first, second]) {
      await stage.has(id, 'Rejoined')
      const { Status, Absences, Queue, StatusTimeline } = await stage.detail(id)
      expect([Status, Queue]).toEqual(['InMeeting', null])
      expect(Absences).toEqual([{ from: expect.any(String), to: StatusTimeline.Rejoined.timestamp, reason: 'NeighbourCrashed' }])
    }
    expect(greetings()).toBe(1)
    for (const id of [first, second]) await stage.remove(id)
  },
  LONG_MS,
)
