import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { z } from 'zod'

// Reads the type declarations of the installed `stripe` package, which Stripe generates from its OpenAPI description.
// Nothing of them is copied.

export const SDK = dirname(createRequire(import.meta.url).resolve('stripe'))

/** The fields of a syntax tree node that this reader needs; oxc's own types are wider. */
export interface Node {
  type: string
  [key: string]: unknown
}

/** A declaration, and where its names are resolved. */
export interface Declaration {
  file: string
  /** The namespaces around it: `Checkout.SessionCreateParams`. */
  scope: string[]
  node: Node
}

interface File {
  declared: Map<string, Declaration>
  /** Local name → file and the name there; `*` for the whole file. */
  imported: Map<string, { file: string; name: string }>
}

export const SDK_VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(SDK, '..', 'package.json'), 'utf8'))).version
export const API_VERSION = /ApiVersion = '([^']+)'/.exec(readFileSync(join(SDK, 'apiVersion.js'), 'utf8'))![1]!

const files = new Map<string, File>()

export function readDeclarationFile(path: string): File {
  let file = files.get(path)
  if (!file) {
    file = { declared: new Map(), imported: new Map() }
    files.set(path, file)
    const { program } = parseSync(path, readFileSync(path, 'utf8'))
    collect(file, path, program.body as unknown as Node[], [])
  }
  return file
}

export const findResourceFile = (resource: string) => join(SDK, 'resources', `${resource}.d.ts`)

/** Resolves a name: first in the surrounding namespaces from the innermost, then in the file's imports. */
export function findDeclaration(name: string, file: string, scope: string[]): Declaration {
  const found = findDeclarationIn(name, file, scope)
  if (!found) throw new Error(`The package stripe declares no ${name} for ${file}`)
  return found
}

function findDeclarationIn(name: string, path: string, scope: string[]): Declaration | null {
  const { declared, imported } = readDeclarationFile(path)
  for (let depth = scope.length; depth >= 0; depth--) {
    const found = declared.get([...scope.slice(0, depth), name].join('.'))
    if (found) return found
  }
  const [head, ...rest] = name.split('.')
  const from = imported.get(head!)
  if (!from) return null
  // `Checkout.Session` of `import { Checkout } from './Checkout/index.js'` is what that file exports as `Session`.
  const direct = from.name === '*' ? null : findDeclarationIn([from.name, ...rest].join('.'), from.file, [])
  return direct ?? (rest.length > 0 ? findDeclarationIn(rest.join('.'), from.file, []) : null)
}

function collect(file: File, path: string, body: Node[], scope: string[]): void {
  for (const statement of body) {
    if (statement.type === 'ImportDeclaration') collectImport(file, path, statement)
    if (statement.type === 'ExportNamedDeclaration' && statement.source) collectExport(file, path, statement)
    const node = statement.type === 'ExportNamedDeclaration' ? (statement.declaration as Node | null) : statement
    if (!node) continue
    if (node.type === 'TSModuleDeclaration') {
      const inner = (node.body as Node).body as Node[]
      collect(file, path, inner, [...scope, readName(node.id as Node)])
    }
    if (['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'ClassDeclaration'].includes(node.type)) {
      file.declared.set([...scope, readName(node.id as Node)].join('.'), { file: path, scope, node })
    }
  }
}

function collectImport(file: File, path: string, statement: Node): void {
  const from = readDeclarations(path, statement)
  if (!from) return
  for (const one of statement.specifiers as Node[]) {
    const name = one.type === 'ImportNamespaceSpecifier' ? '*' : readName(one.imported as Node)
    file.imported.set(readName(one.local as Node), { file: from, name })
  }
}

/** `export { Session } from './Sessions.js'`. */
function collectExport(file: File, path: string, statement: Node): void {
  const from = readDeclarations(path, statement)
  if (!from) return
  for (const one of statement.specifiers as Node[]) {
    file.imported.set(readName(one.exported as Node), { file: from, name: readName(one.local as Node) })
  }
}

function readDeclarations(path: string, statement: Node): string | null {
  const from = join(dirname(path), String((statement.source as Node).value).replace(/\.js$/, '.d.ts'))
  return existsSync(from) ? from : null
}

/** Reads the text of an identifier or a qualified name. */
export function readName(node: Node): string {
  if (node.type === 'TSQualifiedName') return `${readName(node.left as Node)}.${readName(node.right as Node)}`
  if (node.type === 'Literal') return String(node.value)
  return String(node.name)
}
