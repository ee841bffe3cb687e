// Bots in rooms while the nodes that hold them are killed, stopped or cut off from the database, at random.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Guest } from '../../../sims/room/guest.ts'
import type { Script } from '../../../sims/room/people.ts'
import { between, oneOf, type Random, randomFrom } from '../../../simulation/random.ts'
import { startReceiver } from '../../helpers/callers/receiver.ts'
import { folderForFile, openForFile } from '../../helpers/for-file.ts'
import { complaints, sound } from '../../helpers/media/recorded-media.ts'
import { readRecording } from '../../helpers/media/recording.ts'
import { ADA, BEN, joinRoom, NO_VIDEO, withoutCamera } from '../../helpers/meetings/bot-in-room.ts'
import { RUNS_ALL, scaled } from '../../helpers/scale.ts'
import { CLUSTER_WITHIN_MS, Cluster, type ClusterNode } from '../../helpers/service/cluster.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../helpers/service/database-proxy.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = scaled({ all: 1_200_000, gate: 300_000 })
/** Each round has new bots: three counted losses are the most that a bot survives. */
const ROUNDS = scaled({ all: 4, gate: 1 })
const FAULTS_PER_ROUND = 2
/** The gate has the same faults each time. */
const SEED = RUNS_ALL ? Math.floor(Math.random() * 1_000_000) : 9
/** Around the 5.5 s after which a worker leaves by its own clock. */
const FAULT_MS = { least: 2_000, most: 12_000 }
const FLEET = { ROLES: 'fleet,media,delivery', BOT_WORKERS: '2' }
const SCRIPTS: readonly Script[] = [ADA, BEN]

const folder = folderForFile('emissary-faults-')
const cluster = openForFile(() => Cluster.open(), CLUSTER_WITHIN_MS)
const hook = openForFile(startReceiver, CLUSTER_WITHIN_MS)

/** A node that reaches the database through a proxy. */
type Node = { service: ClusterNode; readonly proxy: DatabaseProxy; start(): Promise<ClusterNode> }

async function startNode(name: string): Promise<Node> {
  const proxy = await startDatabaseProxy(cluster.database.url)
  onTestFinished(() => proxy.stop())
  const start = () => cluster.startNode(name, { ...FLEET, DATABASE_URL: proxy.url })
  return { service: await start(), proxy, start }
}

/** Each lasts for this long, and leaves a node that runs and reaches the database. */
const FAULTS: Readonly<Record<string, (node: Node, forMs: number) => Promise<void>>> = {
  async 'kill -9'(node) {
    await node.service.kill()
    node.service = await node.start()
  },
  async SIGSTOP({ service: { pid } }, forMs) {
    process.kill(pid, 'SIGSTOP')
    await delay(forMs)
    process.kill(pid, 'SIGCONT')
  },
  async 'database silent'({ proxy }, forMs) {
    proxy.freeze()
    await delay(forMs)
    await proxy.resume()
  },
  async 'database refuses'({ proxy }, forMs) {
    await proxy.refuse()
    await delay(forMs)
    await proxy.resume()
  },
}

type RoomBot = { readonly id: string; readonly guest: Guest; readonly tone: number }

/** A room with one person who hums, and a bot. */
async function sendBot(room: string, script: Script): Promise<RoomBot> {
  const guest = (await joinRoom(`${cluster.url}/room/${room}`, withoutCamera(script))).named(script.name)
  const id = await cluster.send(room, { bot_name: 'Scribe', callback_url: `${hook.url}/${room}`, ...NO_VIDEO })
  return { id, guest, tone: script.tone ?? 0 }
}

/** How many bots were in the room, by each list of people that the room has sent. */
function botCounts({ guest }: RoomBot): readonly number[] {
  return guest.rosters.map((people) => people.filter(({ name, connected }) => name === 'Scribe' && connected).length)
}

/** The length of the recording on the disks of the nodes. */
function recordedMs(nodes: readonly Node[], { id }: RoomBot): number {
  const tracks = nodes.flatMap(({ service }) => readRecording(join(service.directory, 'recordings', id)).tracks)
  return Math.max(0, ...tracks.flatMap(({ segments }) => segments.map(({ endMs }) => endMs)))
}

/** Waits until the bot is in its room and records, and returns the length of its recording, absences included. */
async function records(nodes: readonly Node[], bot: RoomBot): Promise<number> {
  await until('the bot is in its room', () => botCounts(bot).at(-1) === 1, 90_000)
  const before = recordedMs(nodes, bot)
  await until('the recording goes on', () => recordedMs(nodes, bot) > before + 3_000, 90_000)
  return recordedMs(nodes, bot)
}

async function strike(random: Random, nodes: readonly Node[], bots: readonly RoomBot[]): Promise<string> {
  const { id } = bots[Math.floor(random() * bots.length)] ?? expect.fail('no bot')
  const holder = await until('a node holds the bot', async () => {
    const url = await cluster.holderOf(id)
    return nodes.find(({ service }) => service.url === url)
  })
  const kind = oneOf(random, Object.keys(FAULTS) as [string])
  const forMs = Math.round(between(random, FAULT_MS.least, FAULT_MS.most))
  await FAULTS[kind]?.(holder, forMs)
  return `${kind} for ${forMs} ms`
}

/**
 * One file, which decodes, and in which its own person hums from the start until this time at least, and the other never.
 * On a busy machine a person is audible to a bot up to two seconds after it has entered.
 */
async function expectSound({ id, tone }: RoomBot, atMs: number): Promise<void> {
  const { status, body } = await cluster.api('GET', `/api/v1/bots/${id}/get_audio`)
  expect(status, JSON.stringify(body)).toBe(200)
  const file = join(folder, `${id}.m4a`)
  await writeFile(file, Buffer.from(await (await fetch(body.audio_url)).arrayBuffer()))
  expect(complaints(file)).toBe('')
  const other = SCRIPTS.map((it) => it.tone ?? 0).find((it) => it !== tone) ?? 0
  const audible = hums(file, tone)
  expect(Math.min(...audible), JSON.stringify(body)).toBeLessThanOrEqual(2)
  expect(Math.max(...audible), JSON.stringify(body)).toBeGreaterThanOrEqual(Math.floor(atMs / 1000) - 1)
  expect(hums(file, other)).toEqual([])
}

/** The seconds of the file in which the tone is audible, in a tenth at least: a busy machine breaks its phase. */
function hums(file: string, hertz: number): readonly number[] {
  const audio = sound(file)
  const tenths = Array.from({ length: Math.floor(audio.lengthMs / 100) }, (_, index) => index)
  const loud = tenths.filter((tenth) => audio.at(hertz, tenth * 100, tenth * 100 + 100) > 0.02)
  return [...new Set(loud.map((tenth) => Math.floor(tenth / 10)))]
}

async function playRound(seed: number, nodes: readonly Node[]): Promise<void> {
  const random = randomFrom('faults', seed)
  const bots = await Promise.all(SCRIPTS.map((script) => sendBot(`${script.name}-${seed}`, script)))
  for (const bot of bots) await records(nodes, bot)
  const faults: string[] = []
  let ends: readonly number[] = []
  for (let count = 0; count < FAULTS_PER_ROUND; count++) {
    faults.push(await strike(random, nodes, bots))
    console.log(`seed ${seed}: ${faults.at(-1)}`)
    ends = await Promise.all(bots.map((bot) => records(nodes, bot)))
  }
  for (const [index, bot] of bots.entries()) {
    expect((await cluster.api('GET', `/api/v1/bots/${bot.id}/remove_bot`)).status).toBe(200)
    await until('the bot is Done', async () => 'Done' in (await cluster.detail(bot.id)).StatusTimeline, 120_000)
    expect(Math.max(...botCounts(bot)), faults.join(', ')).toBe(1)
    await expectSound(bot, ends[index] ?? 0)
    await cluster.expectEvents(hook, bot.id)
  }
}

test(
  `keeps every bot, its recording and its events through random faults (seed ${SEED})`,
  async () => {
    await cluster.startApi('api,media,delivery,calendar')
    const nodes = [await startNode('one'), await startNode('two')]
    for (let round = 0; round < ROUNDS; round++) await playRound(SEED + round, nodes)
    for (const { service } of nodes) expect(await service.stop()).toBe(0)
  },
  LONG_MS,
)
