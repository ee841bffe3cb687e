// emissary password: a new password for a person who forgot theirs.
import { defineCommand } from 'citty'
import { createPasswords } from '../accounts/passwords.ts'
import { resetPassword } from '../accounts/people.ts'
import { withStore } from './store.ts'
import { complain, say } from './terminal.ts'

export const password = defineCommand({
  meta: { name: 'password', description: 'Give a person of the dashboard a new password and print it.' },
  args: { email: { type: 'positional', required: true, description: 'The person’s e-mail address.' } },
  run: ({ args }) =>
    withStore(async (db) => {
      const made = await resetPassword(db, createPasswords(), { email: args.email, at: new Date() })
      if (made === null) {
        complain(`Nobody has an account with the address ${args.email}.`)
        process.exitCode = 1
        return
      }
      say('All sessions of this person have ended. The new password is shown this once:')
      process.stdout.write(`${made}\n`)
    }),
})
