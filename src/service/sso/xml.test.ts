import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escapeXml, readXml } from './xml.ts'

describe('readXml', () => {
  test('reads namespaces, attributes and text', () => {
    const element = readXml(
      `<?xml version="1.0"?>\n<!-- a -->\n<p:a xmlns:p="urn:p" xmlns="urn:d" x='1 "' y = "&lt;&#65;&#x42;&amp;"><b>one</b><p:c/> two<!-- - --></p:a>\n`,
    )
    expect(element).toMatchObject({ name: 'a', namespace: 'urn:p', text: ' two' })
    expect([element?.attributes.get('x'), element?.attributes.get('y')]).toEqual(['1 "', '<AB&'])
    expect(element?.children).toMatchObject([
      { name: 'b', namespace: 'urn:d', text: 'one' },
      { name: 'c', namespace: 'urn:p', children: [] },
    ])
  })

  test.each([
    '',
    'a',
    '<a>',
    '</a>',
    '<a></b>',
    '<a/><b/>',
    '<a/>b',
    '<a x=1/>',
    '<a x/>',
    '<a x="1" x="2"/>',
    '<a x="<"/>',
    '<a>&b;</a>',
    '<a>&#x110000;</a>',
    '<a>&#0;</a>',
    '<a>&</a>',
    '<!DOCTYPE a><a/>',
    '<!DOCTYPE a [<!ENTITY b "c">]><a/>',
    '<a><![CDATA[b]]></a>',
    '<a><?b c?></a>',
    '<!-- a -- b --><a/>',
    '<!-- <a/>',
    '<1/>',
    '<a:/>',
    '<p:a></a>',
    '<a>'.repeat(40) + '</a>'.repeat(40),
  ])('rejects %s', (text) => {
    expect(readXml(text)).toBeNull()
  })
})

test('reads back escaped text unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const element = readXml(`<a x="${escapeXml(text)}">${escapeXml(text)}</a>`)
      expect([element?.text, element?.attributes.get('x')]).toEqual([text, text])
    }),
  )
})

test('does not throw or hang on arbitrary input', () => {
  const bits = fc.constantFrom(
    '<',
    '>',
    '/',
    'a',
    ' ',
    '=',
    '"',
    "'",
    '&',
    ';',
    '!',
    '--',
    '?',
    'xmlns:',
    '<!--',
    '-->',
    '</a>',
    '<a ',
    'x="1"',
  )
  fc.assert(fc.property(fc.array(bits, { maxLength: 60 }), (parts) => void readXml(parts.join(''))))
  // A regular expression with catastrophic backtracking would exceed the test's timeout.
  for (const bad of ['<a ', '<a x="1" ', ' ', '<!--', '<a x=', '<', '&#1;', '<a>'])
    expect(readXml(`<a>${bad.repeat(32_000 / bad.length)}`)).toBeNull()
})
