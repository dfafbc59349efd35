// Writes docs/licenses.md: packages shipped with the server or bundled for the browser, with their licences.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const own = JSON.parse(readFileSync('package.json', 'utf8'))
/** Development dependencies whose code ends up in the browser's bundle. */
const bundled = Object.keys(own.devDependencies).filter((name) =>
  /^(react|chart\.js|@mantine\/|@tiptap\/|@tanstack\/react-query|@tabler\/|@fontsource-variable\/|socket\.io-client|papaparse|qr$)/.test(
    name,
  ),
)

const collected = new Map()
const queue = [...Object.keys(own.dependencies), ...bundled, ...Object.keys(own.optionalDependencies)].map(
  (name) => `node_modules/${name}`,
)
while (queue.length > 0) {
  const key = queue.pop()
  const entry = lock.packages[key]
  if (!entry || collected.has(key)) continue
  collected.set(key, entry)
  for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) queue.push(find(key, name))
}

/** Resolves a dependency as npm does: in the package's own node_modules first, then upwards. */
function find(from, name) {
  for (
    let base = from;
    base;
    base = base.includes('/node_modules/') ? base.slice(0, base.lastIndexOf('/node_modules/')) : ''
  ) {
    if (lock.packages[`${base}/node_modules/${name}`]) return `${base}/node_modules/${name}`
  }
  return `node_modules/${name}`
}

function findLicence(key, entry) {
  if (entry.license) return entry.license
  const file = `${key}/package.json`
  const declared = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).license : undefined
  return typeof declared === 'string' ? declared : (declared?.type ?? 'see the package')
}

const rows = [...collected]
  .map(([key, entry]) => ({
    name: key.split('node_modules/').at(-1),
    version: entry.version,
    licence: findLicence(key, entry),
  }))
  .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.version < b.version ? -1 : 1))
  .filter(
    (row, index, all) => index === 0 || row.name !== all[index - 1].name || row.version !== all[index - 1].version,
  )

const text = `# Licences of what is shipped

\`plugin/\` is loaded into WordPress and is therefore licensed under GPL-2.0-or-later; it brings no code of others.

Packages that run with the server, are bundled for the browser, or come along per platform. Made by
\`node scripts/licenses.mjs\` from the lock file. The PostgreSQL binaries are under the PostgreSQL License and bring OpenSSL
(Apache-style OpenSSL License) and ICU (Unicode License); the libvips binaries, a shared library that sharp loads, are under
the LGPL and bring libraries listed in their package; Node.js is under the MIT License with notices in its package.
The countries of IP addresses are a database of IPtoASN (https://iptoasn.com), under the Public Domain Dedication and License 1.0,
in MMDB form by ip-location-db, made on 2026-06-17. It is an estimate that may be wrong: the author of the package says that its data has errors
and that no further updates follow. \`GEOIP_DB\` names another database, see [running.md](running.md#where-shoppers-are).
The schema of Shopify's Admin API in \`providers/shopify/schema/\`, which the demo's Shopify store answers by, comes from the package @shopify/dev-mcp
1.16.0 (ISC, licence beside it), cut down to what a cart recovery app asks for.

| package | version | licence |
| - | - | - |
${rows.map((row) => `| ${row.name} | ${row.version} | ${row.licence} |`).join('\n')}
`
writeFileSync('docs/licenses.md', text)
