// emissary password: resets a person's password.
import { defineCommand } from 'citty'
import { createPasswords } from '../accounts/passwords.ts'
import { resetPassword } from '../accounts/people.ts'
import { withDatabase } from './database.ts'
import { complain, say } from './terminal.ts'

export const password = defineCommand({
  meta: { name: 'password', description: 'Reset the dashboard password of a person and print the new one.' },
  args: { email: { type: 'positional', required: true, description: 'The person’s e-mail address.' } },
  run: ({ args }) =>
    withDatabase(async (db) => {
      const made = await resetPassword(db, createPasswords()('command line'), { email: args.email, at: new Date() })
      if (made === null) {
        complain(`There is no account with the e-mail address ${args.email}.`)
        process.exitCode = 1
        return
      }
      say('All sessions of this person were signed out. The new password is not shown again:')
      process.stdout.write(`${made}\n`)
    }),
})
