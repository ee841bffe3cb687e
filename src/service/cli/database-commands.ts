// The commands that change the database: emissary migrate, accept-key, key, password and recordings.
import { defineCommand } from 'citty'
import type { BotId } from '../../domain/bot.ts'
import { tariffOf } from '../accounts/credits.ts'
import { makeKey } from '../accounts/keys.ts'
import { acceptKey as acceptSecretKey } from '../accounts/open-vault.ts'
import { createPasswords } from '../accounts/passwords.ts'
import { resetPassword } from '../accounts/people.ts'
import { firstUser } from '../db/accounts/accounts.ts'
import { retryRecording } from '../media/finish-recording.ts'
import { withDatabase, withRunningDatabase } from './database.ts'
import { namedWorkspace } from './named-workspace.ts'
import { failWith, say } from './terminal.ts'

/** Opening the database runs the migrations. */
export const migrate = defineCommand({
  meta: { name: 'migrate', description: 'Run the database migrations and exit. `serve` also runs them.' },
  run: () => withDatabase(async () => say('The database is up to date.')),
})

export const acceptKey = defineCommand({
  meta: { name: 'accept-key', description: 'Accept the current SECRET_KEY. Secrets sealed with another key are lost.' },
  run: () =>
    withDatabase(async (db, { SECRET_KEY, DATA_DIR }) => {
      await acceptSecretKey({ db, given: SECRET_KEY, folder: DATA_DIR, now: () => new Date() })
      say('The current key is accepted. Logins, calendars, webhook secrets, Zoom and speech keys that were sealed with another key')
      say('cannot be read any more. Enter them again.')
    }),
})

export const key = defineCommand({
  meta: { name: 'key', description: 'Create an API key and print it.' },
  args: {
    workspace: { type: 'string', default: 'default', description: 'Name or id of the workspace.' },
    name: { type: 'string', default: 'made on the command line', description: 'What the key is for.' },
    service: { type: 'boolean', default: false, description: 'A service key, which belongs to no user.' },
  },
  run: ({ args }) =>
    withDatabase(async (db) => {
      const workspace = await namedWorkspace(db, args.workspace)
      const userId = args.service ? null : await firstUser(db, workspace.id)
      const { apiKey } = await makeKey(db, { workspaceId: workspace.id, userId, madeBy: 'operator', name: args.name, at: new Date() })
      say('Store this key. It is not shown again.')
      process.stdout.write(`${apiKey}\n`)
    }),
})

export const password = defineCommand({
  meta: { name: 'password', description: 'Reset the dashboard password of a person and print the new one.' },
  args: { email: { type: 'positional', required: true, description: 'The person’s e-mail address.' } },
  run: ({ args }) =>
    withDatabase(async (db) => {
      const made = await resetPassword(db, createPasswords()('command line'), { email: args.email, at: new Date() })
      if (made === null) return failWith(`There is no account with the e-mail address ${args.email}.`)
      say('All sessions of this person were signed out. The new password is not shown again:')
      process.stdout.write(`${made}\n`)
    }),
})

const retry = defineCommand({
  meta: { name: 'retry', description: 'Process a recording again that was given up after too many failures or crashes.' },
  args: { bot: { type: 'positional', required: true, description: 'Id of the bot.' } },
  run: ({ args }) =>
    withRunningDatabase(async (db, config) => {
      const deps = { db, tariff: tariffOf(config), onNews: () => undefined }
      if (await retryRecording(deps, args.bot as BotId, new Date())) return say(`The recording of ${args.bot} is processed again.`)
      failWith(`${args.bot} has no recording that was given up. detail.Evidence of the bot names the step "process" if it was.`)
    }),
})

export const recordings = defineCommand({
  meta: { name: 'recordings', description: 'Recordings after the call.' },
  subCommands: { retry },
})
