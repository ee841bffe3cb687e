// Writes the double of the Web Meeting SDK into a temporary folder, laid out like the npm package.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bundleOf } from './bundle.ts'
import { LANGUAGE_FILES, WORDS } from './site/words.ts'

const SDK_VERSION = '6.2.0'

/** Libraries that a page loads before the SDK. The double does not use them. */
const VENDOR = ['react', 'react-dom', 'redux', 'redux-thunk', 'lodash', 'react-redux']

/** Returns the path of a folder with `package.json` and `dist`. */
export async function makeSdkFolder(version = SDK_VERSION): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'zoom-sdk-double-'))
  const files: Readonly<Record<string, string>> = {
    'package.json': JSON.stringify({ name: '@zoom/meetingsdk', version }),
    [`dist/zoom-meeting-${version}.min.js`]: await bundleOf('sdk/zoom-mtg.ts'),
    'dist/ui/zoom-meetingsdk.css': '',
    ...Object.fromEntries(VENDOR.map((name) => [`dist/lib/vendor/${name}.min.js`, ''])),
    'dist/lib/av/js_media.min.js': '',
    ...Object.fromEntries(
      Object.entries(LANGUAGE_FILES).map(([short, file]) => [
        `dist/lib/lang/${file}.json`,
        JSON.stringify(WORDS[short as keyof typeof WORDS]),
      ]),
    ),
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}
