// `npm run structure`: counts what makes the code hard to follow, in product code (server, web, shared, storefront) without tests.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { encoding: 'utf8' }).trim().split('\n')
const isProduct = (file) => /^(server|web|shared|storefront)\//.test(file) && !/\.test\.tsx?$/.test(file)
const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
const IMPORT =
  /(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(?:\{([^}]*)\}|\*\s+as\s+([\w$]+))\s+from\s+'(\.[^']+)'/g
const EXPORT =
  /^export (?:declare )?(?:async )?(?:function\*?|const|let|class|interface|type|enum|abstract class) ([\w$]+)/gm

const isDoor = (file) => /^server\/.*\/public\.ts$/.test(file)
/** `door name` to `file name`: what a door exports counts as used by the files that import it. */
const behindDoors = new Map()
for (const [file, source] of sources) {
  if (!isDoor(file)) continue
  for (const [, names, , from] of source.matchAll(IMPORT)) {
    for (const each of names.split(',')) {
      const [name, exported = name] = each
        .trim()
        .replace(/^type /, '')
        .split(' as ')
      if (name) behindDoors.set(`${file} ${exported}`, `${path.normalize(path.join(path.dirname(file), from))} ${name}`)
    }
  }
}
const users = new Map()
for (const [file, source] of sources) {
  if (isDoor(file)) continue
  for (const [, names, namespace, from] of source.matchAll(IMPORT)) {
    const target = path.normalize(path.join(path.dirname(file), from))
    const used = namespace
      ? [...source.matchAll(new RegExp(`\\b${namespace}\\.([\\w$]+)`, 'g'))].map(([, name]) => name)
      : names.split(',').map(
          (name) =>
            name
              .trim()
              .replace(/^type /, '')
              .split(' as ')[0],
        )
    for (const name of used) {
      const key = behindDoors.get(`${target} ${name}`) ?? `${target} ${name}`
      users.set(key, (users.get(key) ?? new Set()).add(file))
    }
  }
}
let usedByOne = 0
let reexports = 0
let spreads = 0
let wholeDeps = 0
let lines = 0
for (const [file, source] of sources) {
  if (!isProduct(file)) continue
  lines += source.split('\n').length - 1
  for (const [, name] of source.matchAll(EXPORT)) if (users.get(`${file} ${name}`)?.size === 1) usedByOne += 1
  if (!isDoor(file)) reexports += [...source.matchAll(/^export (?:type )?\{[^}]*\} from '/gm)].length
  spreads += [...source.matchAll(/\.\.\.\{[^{}]*\},?/g)].length
  wholeDeps += [...source.matchAll(/[(,]\s*(?:readonly )?\w+: Deps\b/g)].length
}
console.log(`exports used by one other file: ${usedByOne}`)
console.log(`re-exports besides doors: ${reexports}`)
console.log(`spread literals: ${spreads}`)
console.log(`functions that take the whole deps: ${wholeDeps}`)
console.log(`lines of TypeScript: ${lines}`)
