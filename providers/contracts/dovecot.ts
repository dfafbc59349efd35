import { spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

// A real IMAP server (Debian's dovecot-imapd) with one mailbox. It needs root, because Dovecot changes users.

export const hasDovecot = existsSync('/usr/sbin/dovecot') && process.getuid?.() === 0

export const CERTIFICATE = resolve('providers/contracts/localhost.crt.pem')
const KEY = resolve('providers/contracts/localhost.key.pem')
export const USER = 'bounces@shop.example'
export const PASSWORD = 'a mailbox of the tests'

/** A user who owns no other files: Dovecot reads no mail as root. */
const UNPRIVILEGED_ID = 65_534

export interface Dovecot {
  /** Port with TLS from the start. */
  port: number
  /** Puts a mail into the inbox. */
  deliver(raw: string): void
  stop(): Promise<void>
}

export async function startDovecot(): Promise<Dovecot> {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-dovecot-'))
  const port = await findFreePort()
  const maildir = join(folder, 'mail')
  for (const part of ['', 'new', 'cur', 'tmp']) {
    mkdirSync(join(maildir, part), { recursive: true })
    chownSync(join(maildir, part), UNPRIVILEGED_ID, UNPRIVILEGED_ID)
  }
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'users'), `${USER}:{PLAIN}${PASSWORD}\n`)
  writeFileSync(join(folder, 'dovecot.conf'), buildConfiguration(folder, port))
  const server = spawn('/usr/sbin/dovecot', ['-F', '-c', join(folder, 'dovecot.conf')], { stdio: 'ignore' })
  const ended = new Promise<void>((done) => server.once('exit', () => done()))
  await waitUntilAnswering(port)
  let count = 0
  return {
    port,
    deliver(raw) {
      const file = join(maildir, 'new', `${Date.now()}.${++count}.test`)
      writeFileSync(file, raw)
      chownSync(file, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
    },
    async stop() {
      server.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const buildConfiguration = (folder: string, port: number): string => `
base_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <${CERTIFICATE}
ssl_key = <${KEY}
first_valid_uid = 1
mail_location = maildir:${folder}/mail
passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = static
  args = uid=${UNPRIVILEGED_ID} gid=${UNPRIVILEGED_ID} home=${folder}
}
service imap-login {
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = ${port}
    ssl = yes
  }
}
`

function findFreePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => done(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

async function waitUntilAnswering(port: number): Promise<void> {
  const { connect } = await import('node:net')
  for (let attempt = 0; attempt < 100; attempt++) {
    const isOpen = await new Promise<boolean>((done) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        done(true)
      })
      socket.on('error', () => done(false))
    })
    if (isOpen) return
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error('Dovecot did not start')
}
