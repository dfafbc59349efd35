// `npm run structure`: counts what makes the code hard to follow, in product code (server, web, shared, storefront) without tests.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { encoding: 'utf8' }).trim().split('\n')
const isProduct = (file) => /^(server|web|shared|storefront)\//.test(file) && !/\.test\.tsx?$/.test(file)
const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
const IMPORT =
  /(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(?:\{([^}]*)\}|\*\s+as\s+([\w$]+))\s+from\s+'(\.[^']+)'/g
const EXPORT =
  /^export (?:declare )?(?:async )?(?:function\*?|const|let|class|interface|type|enum|abstract class) ([\w$]+)/gm

// Words that the code used in a sense of its own. Developers who are new to it do not know that sense.
const COINED =
  /^(said|tells?|told|words|judged?|deeds?|houses?|lanes?|strangers?|histories|whoever|whatever|nobody|somebody|anew|stands?|speaks?|looks?|turns?|ways?|leaves?|kept|taken)$/
/** Names in which such a word has its ordinary sense. */
const ORDINARY = [
  /TwoWay/,
  // A DNS lookup.
  /^lookUp/,
  // The look of a mail: colors and fonts of the brand. It is also a column and an API field.
  /BrandLook|ItemsLook|^(toLook|cacheLook|look|looks|Look|MAX_LOOKS)$/,
  // A member leaves a team, an owner a plan or a page.
  /leaveTeam|^(leave|mayLeave|onLeave|LeaveCard|LeavePaidPlan|useLeaveGuard)$/i,
]
/** The send's turn is a term of the glossary. */
const isSendTurn = (file, name) => file.startsWith('server/delivery/send/') && /turn/i.test(name)
/** A column of the database. */
const isColumn = (file, name) => file.startsWith('server/core/schema/') || /^[a-z]+(_[a-z0-9]+)+$/.test(name)

const splitName = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
const isCoined = (file, name) =>
  splitName(name).some((word) => COINED.test(word)) &&
  !ORDINARY.some((pattern) => pattern.test(name)) &&
  !isSendTurn(file, name) &&
  !isColumn(file, name)

/** Declared names of a file: variables, parameters, functions, types and properties of types. */
function readDeclaredNames(file, source) {
  const names = new Set()
  const add = (node) => {
    if (node?.type === 'Identifier') names.add(node.name)
    else if (node?.type === 'AssignmentPattern') add(node.left)
    else if (node?.type === 'RestElement') add(node.argument)
    else if (node?.type === 'ArrayPattern') node.elements.forEach(add)
    else if (node?.type === 'ObjectPattern') {
      // A shorthand has the name of its property, which is counted where it is declared.
      for (const property of node.properties) if (!property.shorthand) add(property.value ?? property)
    }
  }
  const addFunction = ({ id, params }) => [id, ...params].forEach(add)
  new Visitor({
    VariableDeclarator: ({ id }) => add(id),
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: ({ params }) => params.forEach(add),
    ClassDeclaration: ({ id }) => add(id),
    TSTypeAliasDeclaration: ({ id }) => add(id),
    TSInterfaceDeclaration: ({ id }) => add(id),
    TSPropertySignature: ({ key }) => add(key),
  }).visit(parseSync(file, source).program)
  return names
}

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
let coined = 0
for (const [file, source] of sources) {
  if (!isProduct(file)) continue
  lines += source.split('\n').length - 1
  for (const [, name] of source.matchAll(EXPORT)) if (users.get(`${file} ${name}`)?.size === 1) usedByOne += 1
  if (!isDoor(file)) reexports += [...source.matchAll(/^export (?:type )?\{[^}]*\} from '/gm)].length
  spreads += [...source.matchAll(/\.\.\.\{[^{}]*\},?/g)].length
  const names = [...readDeclaredNames(file, source), path.basename(file).replace(/\.tsx?$/, '')]
  coined += names.filter((name) => isCoined(file, name)).length
  wholeDeps += [...source.matchAll(/[(,]\s*(?:readonly )?\w+: Deps\b/g)].length
}
console.log(`exports used by one other file: ${usedByOne}`)
console.log(`re-exports besides doors: ${reexports}`)
console.log(`spread literals: ${spreads}`)
console.log(`functions that take the whole deps: ${wholeDeps}`)
console.log(`identifiers and file names with a coined word: ${coined}`)
console.log(`lines of TypeScript: ${lines}`)
