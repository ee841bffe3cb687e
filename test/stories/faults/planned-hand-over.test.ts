// A node drains: another one joins beside its bot, takes the bot over and goes on with the recording, without an absence.
import { expect, onTestFinished, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { fetchDelivery } from '../../helpers/media/delivered.ts'
import { pictures, sound } from '../../helpers/media/recorded-media.ts'
import { ADA, isNear, joinRoom, rgbOf } from '../../helpers/meetings/bot-in-room.ts'
import { CLUSTER_WITHIN_MS, Cluster } from '../../helpers/service/cluster.ts'
import { hasEnded } from '../../helpers/service/worker-processes.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 300_000
const FLEET = { ROLES: 'fleet,media', BOT_WORKERS: '1', DRAIN_SECONDS: '30', UPLOAD_SECONDS: '5' }
const NAME = 'Note taker'
/** The tone is measured in windows of this length. Three of them are shorter than a syllable. */
const WINDOW_MS = 20
const WINDOWS = 3
/** Ada sends a key frame when the new session asks for one. */
const DARK_MS = 1_500

const cluster = openForFile(() => Cluster.open(), CLUSTER_WITHIN_MS)

test(
  'moves a bot to another node while it records, without an absence or a moment of silence',
  async () => {
    await cluster.startApi('api,delivery,calendar')
    const first = await cluster.startNode('first', FLEET)
    const ada = (await joinRoom(`${cluster.url}/room/standup`, ADA)).named('Ada')
    const id = await cluster.send('standup', { bot_name: NAME })
    await cluster.recordsOn(first, id)
    const second = await cluster.startNode('second', FLEET)
    await cluster.knowEachOther()
    const before = ada.rosters.length

    process.kill(first.pid, 'SIGTERM')
    await until('the other node holds the bot', async () => (await cluster.holderOf(id)) === second.url, 60_000)
    await until('the first node has ended', () => hasEnded(first.pid), 60_000)
    await cluster.recordsOn(second, id)

    // Ada saw both sessions for a moment, and at no moment none.
    const bots = ada.rosters.slice(before - 1).map((people) => people.filter(({ name }) => name === NAME).length)
    expect([Math.min(...bots), Math.max(...bots)]).toEqual([1, 2])
    const { Status, Absences, StatusTimeline } = await cluster.detail(id)
    expect({ Status, Absences, rejoined: 'Rejoined' in StatusTimeline }).toEqual({ Status: 'InMeeting', Absences: [], rejoined: false })

    ada.write('Are you still there?')
    const chat = async () => (await cluster.api('GET', `/api/v1/bots/${id}/get_chats`)).body.chatMessages ?? []
    await until('the chat is written once', async () => (await chat()).length === 1, 30_000)
    expect((await cluster.api('GET', `/api/v1/bots/${id}/remove_bot`)).status).toBe(200)
    await until('the recording is processed', async () => 'Done' in (await cluster.detail(id)).StatusTimeline, 120_000)

    const delivery = await fetchDelivery(cluster, id)
    onTestFinished(() => delivery.discard())
    expect([...new Set(delivery.streams.map(({ name }) => name))]).toEqual(['Ada'])
    const mixed = sound(delivery.audio)
    const windows = Array.from({ length: Math.floor((mixed.lengthMs - 2_000) / WINDOW_MS) }, (_, index) => 1_000 + index * WINDOW_MS)
    const levels = windows.map((atMs) => mixed.at(ADA.tone ?? 0, atMs, atMs + WINDOW_MS))
    const usual = levels.toSorted((a, b) => a - b)[levels.length >> 1] ?? 0
    expect(usual).toBeGreaterThan(0.05)
    // Neither silent nor twice as loud. The phase of the tone jumps where the sessions meet, which weakens one window.
    const isWrong = (level: number): boolean => level < 0.4 * usual || level > 1.5 * usual
    expect(windows.filter((_, index) => index >= WINDOWS && levels.slice(index - WINDOWS, index).every((level) => isWrong(level)))).toEqual(
      [],
    )
    const dark = pictures(delivery.video).filter(({ rgb }) => !isNear(rgb, rgbOf(ADA.colour ?? ''), 60))
    const inside = dark.filter(({ atMs }) => atMs > 2_000 && atMs < mixed.lengthMs - 1_000)
    expect((inside.at(-1)?.atMs ?? 0) - (inside[0]?.atMs ?? 0)).toBeLessThan(DARK_MS)
  },
  LONG_MS,
)
