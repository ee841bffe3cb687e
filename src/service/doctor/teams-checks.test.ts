import { expect, test } from 'vitest'
import { checkTeamsApp } from './teams-checks.ts'

test('reports a refused Teams app as a problem, and nothing without an app', () => {
  expect(checkTeamsApp(null)).toEqual([])
  expect(checkTeamsApp({ kind: 'token', token: 'a.b' })).toMatchObject([{ name: 'teams app', state: 'ok' }])
  expect(checkTeamsApp({ kind: 'refused', message: 'The bot could not identify itself' })).toMatchObject([
    { name: 'teams app', state: 'problem', says: 'The bot could not identify itself', cure: expect.stringContaining('TEAMS_BOT_TENANT') },
  ])
})
