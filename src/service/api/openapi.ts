// The published description of the API, made from the schemas that check it, and a page to read it.
import swagger from '@fastify/swagger'
import reference from '@scalar/fastify-api-reference'
import type { Api } from './deps.ts'

const ABOUT = `One API that sends a bot into a live video meeting, where it joins as a visible, named participant, records, transcribes and reports.

Every request carries \`Authorization: Token <API_KEY>\`. Errors are \`{"message": "…"}\`: one sentence that names the field.
Statuses, events and error codes are not a closed set: tolerate unknown values.`

/** Call before the routes are added: it collects them. */
export async function describe(app: Api, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Emissary', version, description: ABOUT, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Token <API_KEY>' },
          operatorToken: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Token <ADMIN_TOKEN>' },
        },
      },
      security: [{ apiKey: [] }],
      tags: [
        'Bots',
        'Recordings',
        'In the meeting',
        'Transcripts',
        'Scheduled bots',
        'Webhooks',
        'Signed-in joins',
        'Account',
        'Operator',
        'Health',
      ].map((name) => ({ name })),
    },
  })
  app.get('/api/v1/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  app.get('/api/v1/openapi.yaml', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/yaml').send(app.swagger({ yaml: true })),
  )
  await app.register(reference, {
    routePrefix: '/docs',
    logLevel: 'silent',
    configuration: {
      title: 'Emissary API',
      // Everything the page needs comes from this server.
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
}
