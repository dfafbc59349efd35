// `npm run spec` lists the tests of each section of the specification by their tags: `test('…', { tags: ['A2.1'] },
// …)`. `npm run spec -- A2.1 B` prints these sections only.

import fs from 'node:fs'
import path from 'node:path'
import { listFiles, root } from './prepare.mjs'

const ROOTS = [
  'server',
  'shared',
  'web',
  'storefront',
  'demo',
  'providers',
  'test',
  'screens',
  'e2e',
  'proofs',
  'scripts',
]
const TAGGED = /\(\s*(['`])((?:\\.|(?!\1).)+)\1\s*,\s*\{[^{}]*?\btags: \[([^\]]*)\]/g

process.chdir(root)
const sections = process.argv.slice(2)
const rows = ROOTS.flatMap((folder) => listFiles(folder))
  .filter((file) => /\.tsx?$/.test(file))
  .flatMap((file) =>
    [...fs.readFileSync(file, 'utf8').matchAll(TAGGED)].flatMap(([, , name, tags]) =>
      tags.split(',').map((tag) => ({ section: tag.trim().replaceAll("'", ''), file, name })),
    ),
  )
  .filter(({ section }) => section && (sections.length === 0 || sections.some((each) => section.startsWith(each))))
  .sort((a, b) => a.section.localeCompare(b.section, 'en', { numeric: true }) || a.file.localeCompare(b.file))
let section = ''
for (const row of rows) {
  if (row.section !== section) console.log(`\n${row.section}`)
  section = row.section
  console.log(`  ${row.name.replaceAll("\\'", "'")}\n      ${path.normalize(row.file)}`)
}
console.log(`\n${new Set(rows.map(({ section: each }) => each)).size} sections, ${rows.length} tests`)
