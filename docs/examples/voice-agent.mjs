// A voice agent: it reads a meeting's words as they are spoken and answers aloud when a participant asks for the time.
import { createServer } from 'node:http'

const { API, KEY } = process.env
const port = process.env.PORT ?? '5000'

createServer(async (request, response) => {
  const parts = []
  for await (const part of request) parts.push(part)
  // Emissary waits for this response before it sends the next utterance, so respond before you think.
  response.end()
  const { bot_id, transcript, is_final } = JSON.parse(Buffer.concat(parts).toString())
  const answer = is_final ? answerTo(transcript) : null
  if (answer) await say(bot_id, answer)
}).listen(Number(port), () => console.log(`Listening on port ${port}`))

/** Put your own model here. Return null to stay silent. */
function answerTo(text) {
  if (!/\bwhat time\b/i.test(text)) return null
  return `It is ${new Date().toLocaleTimeString('en', { hour: 'numeric', minute: '2-digit' })}.`
}

async function say(bot, text) {
  const response = await fetch(`${API}/bots/${bot}/speak`, {
    method: 'POST',
    headers: { authorization: `Token ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  })
  console.log(response.ok ? `Said: ${text}` : `Not said (${response.status}): ${await response.text()}`)
}
