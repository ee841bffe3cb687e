// Links of form controls with their hints, for screen readers.
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Area, Choice, Field } from './form.tsx'

test.each([Field, Area, Choice])('describes a control by its hint: %o', (control) => {
  const page = renderToStaticMarkup(createElement<{ label: string; hint: string }>(control, { label: 'Name', hint: 'As in the meeting.' }))
  const [, id] = /aria-describedby="([^"]+)"/.exec(page) ?? []
  expect(page).toContain(`<p id="${id}"`)
})
