// Prints a meeting's words while people speak. Run it, then send a bot whose live_transcription_required.webhook_url is its address.
import { createServer } from 'node:http'

const port = process.env.PORT ?? '5000'

createServer(async (request, response) => {
  const parts = []
  for await (const part of request) parts.push(part)
  response.end()
  const { speakerName, transcript, is_final } = JSON.parse(Buffer.concat(parts).toString())
  // An interim result may still change: the next message about the same utterance replaces it.
  console.log(`${is_final ? ' ' : '…'} ${speakerName}: ${transcript}`)
}).listen(Number(port), () => console.log(`Waiting for captions on port ${port}`))
