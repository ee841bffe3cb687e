// Commands to a bot in a real meeting that take long, or that a caller repeats.
import { expect, test } from 'vitest'
import { ADA, NO_VIDEO, Stage, withoutCamera } from '../helpers/meetings/bot-in-room.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { WITH_BOTS } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

/** A whole meeting on a busy machine. */
const LONG_MS = 90_000
/** `listen` measures a tone too. */
const TONE_HZ = 1_500

const stage = new Stage(serviceForFile(WITH_BOTS))

async function meeting(room: string) {
  const people = await stage.cast(room, withoutCamera(ADA))
  const id = await stage.send(room, NO_VIDEO)
  await stage.has(id, 'Recording')
  return { ada: people.named('Ada'), id }
}

test(
  'confirms a speech of 4,000 characters in time, and one that waits behind it',
  async () => {
    const { ada, id } = await meeting('speeches')
    const loudness = async () => (await ada.listen(TONE_HZ)).find(({ name }) => name === 'Emissary')?.rms ?? 0
    const text = 'The quarterly numbers are ready for everybody to read. '.repeat(80).slice(0, 4_000)
    expect(await stage.command(id, 'speak', { text }), 'a long one').toMatchObject({ status: 200, body: { command: 'speak' } })
    expect(await stage.command(id, 'speak', { text: 'One more thing.' }), 'one behind it').toMatchObject({ status: 200 })
    await until('Ada hears speech', async () => (await loudness()) > 0.01, 40_000)
    expect(await stage.command(id, 'speak', { text: 'x', voice: 'no such voice' }), 'a refused one').toMatchObject({ status: 400 })
    await stage.remove(id)
  },
  LONG_MS,
)

test(
  'executes commands with the same Idempotency-Key once, and gives each the same answer',
  async () => {
    const { id } = await meeting('repeats')
    const send = (message: string, key: string, command = 'send_message') =>
      stage.service.api('POST', `/api/v1/bots/${id}/${command}`, { message, text: message }, { 'idempotency-key': key })
    const sent = [...(await Promise.all([send('once', 'k1'), send('once', 'k1')])), await send('once', 'k1')]
    const [first] = sent
    for (const { status, body } of sent) expect({ status, body }).toEqual({ status: 200, body: first?.body })
    expect(first?.body).toEqual({ status: 'accepted', bot_id: id, command: 'send_message', command_id: expect.stringMatching(/^cmd_/) })
    const another = await send('twice', 'k2')
    expect(another.body.command_id).not.toBe(first?.body.command_id)
    expect((await send('spoken', 'k1', 'speak')).body, 'another command').toMatchObject({ status: 'accepted', command: 'speak' })
    await stage.command(id, 'send_message', { message: 'end' })
    const lines = async () => (await stage.read(id, 'get_chats')).chatMessages.map(({ text }: { text: string }) => text)
    await until('the last line is stored', async () => (await lines()).includes('end'), 10_000)
    expect(await lines()).toEqual(['once', 'twice', 'end'])
    expect(await send('x', 'k'.repeat(256))).toMatchObject({
      status: 400,
      body: { message: 'Idempotency-Key must have 1 to 255 characters.' },
    })
    await stage.remove(id)
  },
  LONG_MS,
)
