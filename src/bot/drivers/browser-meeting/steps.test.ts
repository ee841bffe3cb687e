import { expect, test } from 'vitest'
import { factsOf } from './facts.ts'
import { nextStep, Presses } from './steps.ts'

const visible = ['nameField', 'passcodeField', 'join']
const seen = (typedPasscode = '') => factsOf({ visible, present: visible, typed: 'Emissary', typedPasscode }, 'https://x.example')
const progress = (passcode: string | null) => ({ name: 'Emissary', passcode, notices: [], presses: new Presses(), askedAt: null })

test('types the passcode after the name, and presses the button once both are there', () => {
  expect(nextStep(seen(), progress('secret'), 0)).toEqual({ kind: 'type_passcode' })
  expect(nextStep(seen('secret'), progress('secret'), 0)).toEqual({ kind: 'press', control: 'join' })
  expect(nextStep(seen(), progress(null), 0)).toEqual({ kind: 'press', control: 'join' })
})

test('gives up on a passcode field that does not take the whole passcode', () => {
  const given = progress('longer than the field')
  for (let tries = 0; tries < 5; tries++) given.presses.count('passcodeField', true)
  expect(nextStep(seen('longer'), given, 0)).toEqual({ kind: 'press', control: 'join' })
})
