// The JSON Schema of a file that replaces a platform's page rules: `emissary page-rules --schema` prints it.
import { ERROR_REASONS } from '../../../domain/errors.ts'
import { SCREENS } from './page-rules.ts'

const texts = { type: 'array', items: { type: 'string', minLength: 1 } }
const selector = { type: 'string', minLength: 1 }
const screen = { enum: SCREENS }
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const byName = (rule: object, names: object = {}) => ({ type: 'object', propertyNames: names, additionalProperties: rule })
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const attribute = { type: 'string', pattern: '^[a-z][a-z0-9-]*$' }
const PEOPLE = ['tile', 'ids', 'name', 'self', 'phantoms', 'noNames']
const rules = { type: 'array', items: object({ screen, when: ref('condition') }) }

export const PAGE_RULES_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Page rules of a meeting platform',
  description: 'Each rule that is given replaces the rule of the same name; all others stay as they are.',
  ...object(
    {
      $schema: { type: 'string' },
      controls: { description: 'How a control is found, in order of trust.', ...byName({ type: 'array', items: ref('signal') }) },
      frame: { description: 'The frame in which the client may sit, where the page around it is empty.', ...selector },
      nested: { description: 'Text in shadow roots and in visible frames counts before admission.', type: 'boolean' },
      never: { description: 'Words of controls that are never pressed.', ...texts },
      people: object(
        {
          tile: selector,
          ids: texts,
          name: selector,
          self: texts,
          phantoms: texts,
          noNames: texts,
          besides: texts,
          source: attribute,
          room: attribute,
        },
        PEOPLE,
      ),
      talk: { description: 'Selectors of where participants’ own words stand.', ...texts },
      chatLines: { description: 'Selectors of where the chat shows a line that it has taken.', ...texts },
      sentences: {
        description: 'What the pages say, in lower case, with straight apostrophes.',
        ...byName(object({ says: texts, lines: texts }, ['says'])),
      },
      screens: { description: 'The first rule that holds names the screen.', ...object({ door: rules, call: rules }, []) },
      verdicts: {
        description: 'Why a screen keeps the bot out, and how long it must stay.',
        ...byName(
          object(
            {
              reason: { enum: ERROR_REASONS },
              message: { type: 'string', minLength: 1 },
              afterSeconds: { type: 'number', minimum: 0 },
              onceAskedSeconds: { description: 'The same for a bot that has asked to join.', type: 'number', minimum: 0 },
              reload: {
                description: 'The page is opened again after so long, before the screen counts.',
                ...object({ afterSeconds: { type: 'number', minimum: 0 }, most: { type: 'integer', minimum: 0 } }),
              },
              tryAfresh: { description: 'A bot that has not asked to join tries again in a fresh browser.', type: 'boolean' },
            },
            ['reason', 'message', 'afterSeconds'],
          ),
          screen,
        ),
      },
      fatalErrors: { description: 'Errors of the page which mean that the platform has dropped a bot that asked to join.', ...texts },
      notices: { description: 'Controls that are pressed away.', ...object({ door: texts, waiting: texts, call: texts }, []) },
      captionsMenu: { description: 'Controls that lead to the button of the captions.', ...texts },
      captionDialogs: { description: 'Controls of dialogs that the button of the captions opens.', ...texts },
      inputs: {
        description: 'keys: the field is typed key by key. script: the control is pressed by script where something lies over it.',
        ...byName({ enum: ['keys', 'script'] }),
      },
      panels: { description: 'Controls that open a panel whose content is read.', ...texts },
      rooms: {
        description: 'How a breakout room is recognised, and what is pressed to go along.',
        ...object({ inside: ref('condition'), name: selector, besides: texts, invitations: texts, follow: texts }, [
          'inside',
          'besides',
          'follow',
        ]),
      },
      captionLanguages: object({ open: texts, list: selector, entries: texts, close: selector }),
    },
    [],
  ),
  $defs: {
    signal: { ...object({ css: selector, says: texts, icon: { type: 'string', minLength: 1 }, about: texts }, []), minProperties: 1 },
    condition: {
      type: 'object',
      minProperties: 1,
      maxProperties: 1,
      properties: {
        sentences: texts,
        host: texts,
        path: texts,
        visible: texts,
        present: texts,
        people: { const: true },
        captcha: { const: true },
        empty: { const: true },
        all: { type: 'array', items: ref('condition') },
        any: { type: 'array', items: ref('condition') },
        not: ref('condition'),
      },
      additionalProperties: false,
    },
  },
} as const
