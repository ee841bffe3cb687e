// emissary accept-key: go on with a SECRET_KEY that did not seal what is in the database.
import { defineCommand } from 'citty'
import { acceptKey } from '../accounts/open-vault.ts'
import { withStore } from './store.ts'
import { say } from './terminal.ts'

export const acceptKeyCommand = defineCommand({
  meta: { name: 'accept-key', description: 'Take the present SECRET_KEY as the right one. Secrets sealed with another one are lost.' },
  run: () =>
    withStore(async (db, { SECRET_KEY, DATA_DIR }) => {
      await acceptKey({ db, given: SECRET_KEY, folder: DATA_DIR, now: () => new Date() })
      say('The present key is the right one from now on. Logins, calendars, webhook secrets, Zoom and speech keys that were')
      say('sealed with another one do not open any more: give them again.')
    }),
})
