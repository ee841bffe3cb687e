// emissary accept-key: continue with a SECRET_KEY that did not seal the secrets in the database.
import { defineCommand } from 'citty'
import { acceptKey } from '../accounts/open-vault.ts'
import { withDatabase } from './database.ts'
import { say } from './terminal.ts'

export const acceptKeyCommand = defineCommand({
  meta: { name: 'accept-key', description: 'Accept the current SECRET_KEY. Secrets sealed with another key are lost.' },
  run: () =>
    withDatabase(async (db, { SECRET_KEY, DATA_DIR }) => {
      await acceptKey({ db, given: SECRET_KEY, folder: DATA_DIR, now: () => new Date() })
      say('The current key is accepted. Logins, calendars, webhook secrets, Zoom and speech keys that were sealed with another key')
      say('cannot be read any more. Enter them again.')
    }),
})
