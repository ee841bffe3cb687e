// Rejections of a server without ALLOW_INSECURE_URLS and without a Zoom app.
import { expect, test } from 'vitest'
import { serviceForFile } from '../helpers/service/for-file.ts'

const MEET = 'https://meet.google.com/abc-defg-hij'
const ZOOM = 'https://us02web.zoom.us/j/81234567890?pwd=secret.1'

const strict = serviceForFile({ ALLOW_INSECURE_URLS: 'false', ZOOM_SDK_KEY: '', ZOOM_SDK_SECRET: '' })

const refused = (body: unknown) => strict.api('POST', '/api/v1/bots/create_bot', body)

test('requires public addresses, and TLS except for callbacks', async () => {
  for (const callback_url of [
    'http://127.0.0.1/x',
    'http://localhost:1/',
    'https://10.0.0.1',
    'http://[::1]/',
    'http://169.254.169.254/',
  ]) {
    expect(await refused({ meeting_link: MEET, callback_url })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^callback_url /) },
    })
  }
  const plain = { meeting_link: MEET, live_audio_required: { websocket_url: 'ws://example.com' } }
  expect(await refused(plain)).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/^live_audio_required\.websocket_url .*wss/) },
  })
  expect((await refused({ meeting_link: MEET, live_audio_required: { websocket_url: 'wss://example.com' } })).status).toBe(201)
})

test('requires Zoom credentials on the server or in the workspace', async () => {
  expect(await refused({ meeting_link: ZOOM })).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/^meeting_link .*Zoom/) },
  })
  const half = await strict.api('PATCH', '/api/v1/settings', { zoom_sdk_key: 'k', zoom_sdk_secret: null })
  expect(half.status).toBe(400)
  const set = await strict.api('PATCH', '/api/v1/settings', { zoom_sdk_key: 'k', zoom_sdk_secret: 'hush' })
  expect(set.body).toMatchObject({ zoom_sdk_key: 'k', zoom_sdk_secret_set: true })
  expect((await refused({ meeting_link: ZOOM })).status).toBe(201)
  const insecure = await refused({ meeting_link: ZOOM, platforma: { zak_url: 'http://example.com/zak' } })
  expect(insecure).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^platforma\.zak_url .*https/) } })
})

test('sets and deletes the workspace’s Teams app as a whole, without changing its Zoom app, and never shows the secret', async () => {
  const zoom = { zoom_sdk_key: 'k', zoom_sdk_secret: 'hush' }
  await strict.api('PATCH', '/api/v1/settings', zoom)
  const app = { teams_bot_tenant: 'acme.example', teams_bot_client_id: 'client-1', teams_bot_client_secret: 'hush hush' }
  const half = await strict.api('PATCH', '/api/v1/settings', { ...app, teams_bot_client_secret: null })
  const message = 'teams_bot_tenant, teams_bot_client_id and teams_bot_client_secret must all be set or all be null.'
  expect(half).toMatchObject({ status: 400, body: { message } })
  const set = await strict.api('PATCH', '/api/v1/settings', app)
  expect(set.body).toEqual({
    zoom_sdk_key: 'k',
    zoom_sdk_secret_set: true,
    teams_bot_tenant: 'acme.example',
    teams_bot_client_id: 'client-1',
    teams_bot_client_secret_set: true,
  })
  const none = { teams_bot_tenant: null, teams_bot_client_id: null, teams_bot_client_secret: null }
  expect((await strict.api('PATCH', '/api/v1/settings', none)).body).toMatchObject({
    teams_bot_tenant: null,
    teams_bot_client_secret_set: false,
  })
  expect((await strict.api('GET', '/api/v1/settings')).body).toMatchObject({ zoom_sdk_key: 'k', teams_bot_client_id: null })
})
