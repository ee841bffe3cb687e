// The published description of the API, made from the schemas that check it, and a page to read it.
import swagger from '@fastify/swagger'
import type { Api } from './deps.ts'
import { docsPage } from './docs-page.ts'

const ABOUT = `One API that sends a bot into a live video meeting, where it joins as a visible, named participant, records, transcribes and reports.

Every request carries \`Authorization: Token <API_KEY>\`. Errors are \`{"message": "…"}\`: one sentence that names the field.
Statuses, events and error codes are not a closed set: tolerate unknown values.`

const TAGS = {
  Bots: 'Send them, follow them, take them out.',
  Recordings: 'What a bot brings back. 202 until it is ready.',
  'In the meeting': 'What a bot does while it is in. 409 while it is not.',
  Transcripts: 'Words with speakers and times, after the call.',
  'Speech providers': 'Which vendors can be named, and the workspace’s own keys of them.',
  Rooms: 'Links to the meeting rooms of this server.',
  Calendars: 'Connect them, and their meetings have bots. Every path here also answers without /api/v1.',
  'Scheduled bots': 'Bots that wait for their time. Every path here also answers without /api/v1.',
  Webhooks: 'Who is told what, what was sent where and came back, and the same events to be fetched.',
  'Signed-in joins': 'Accounts that bots may sign in with. Secrets go in and never come out.',
  Account: 'Usage and settings of the workspace.',
  Operator: 'For whoever runs this server, with ADMIN_TOKEN.',
  Health: 'For whoever watches it. No key needed.',
}

/** Call before the routes are added: it collects them. */
export async function describe(app: Api, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Emissary', version, description: ABOUT, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      servers: [{ url: '/', description: 'This server' }],
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Token <API_KEY>' },
          operatorToken: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Token <ADMIN_TOKEN>' },
        },
      },
      security: [{ apiKey: [] }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    },
  })
  app.get('/api/v1/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  app.get('/api/v1/openapi.yaml', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/yaml').send(app.swagger({ yaml: true })),
  )
  await docsPage(app)
}
