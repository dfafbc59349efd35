import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'

// A real Postfix in its own folder and on its own port, separate from the system's. It has to be started by root,
// because it runs its parts as several users.

const POSTFIX = '/usr/sbin/postfix'
export const missingPostfix = !existsSync(POSTFIX)
  ? 'postfix is not installed (Debian: apt-get install postfix)'
  : process.getuid?.() !== 0
    ? 'only root can start a postfix'
    : null

export interface Postfix {
  port: number
  /** Mails in the mailbox `name@shop.test`. */
  mailbox(name: string): string[]
  log(): string
  stop(): void
}

export interface PostfixOptions {
  port: number
  /** Recipients that are rejected or deferred at once, with the reply: `550 5.1.1 …`. */
  answers: Record<string, string>
  /** Domains that are relayed to a port of this machine. */
  routes: Record<string, number>
}

/** Accepts mail for ana@shop.test and for the domains of `routes`. */
export function startPostfix({ port, answers, routes }: PostfixOptions): Postfix {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'recoup-postfix-'))
  chmodSync(dir, 0o755)
  const folder = (name: string) => {
    mkdirSync(path.join(dir, name))
    return path.join(dir, name)
  }
  const data = folder('data')
  folder('spool')
  chownSync(data, Number(execFileSync('id', ['-u', 'postfix'])), Number(execFileSync('id', ['-g', 'postfix'])))
  // Owner of the mailbox, as in virtual_uid_maps.
  chownSync(folder('mail'), 65_534, 65_534)
  writeFileSync(path.join(dir, 'main.cf'), buildMainCf(dir, answers, routes))
  writeFileSync(path.join(dir, 'master.cf'), buildMasterCf(port))
  execFileSync(POSTFIX, ['-c', dir, 'start'], { stdio: 'pipe' })
  const log = path.join(data, 'mail.log')
  return {
    port,
    mailbox(name) {
      const box = path.join(dir, 'mail', name, 'new')
      return existsSync(box) ? readdirSync(box).map((file) => readFileSync(path.join(box, file), 'utf8')) : []
    },
    log: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
    stop() {
      execFileSync(POSTFIX, ['-c', dir, 'stop'], { stdio: 'pipe' })
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

const buildInlineTable = (entries: [string, string][]) =>
  `inline:{ ${entries.map(([key, value]) => `{ ${key} = ${value} }`).join(', ')} }`

function buildMainCf(dir: string, answers: PostfixOptions['answers'], routes: PostfixOptions['routes']): string {
  const domains = Object.keys(routes)
  return [
    'compatibility_level = 3.6',
    `queue_directory = ${dir}/spool`,
    `data_directory = ${dir}/data`,
    'command_directory = /usr/sbin',
    'daemon_directory = /usr/lib/postfix/sbin',
    'shlib_directory = /usr/lib/postfix',
    'meta_directory = /etc/postfix',
    'mail_owner = postfix',
    'setgid_group = postdrop',
    'multi_instance_enable = no',
    'myhostname = mx.shop.test',
    'mydestination =',
    'alias_maps =',
    'inet_interfaces = loopback-only',
    'inet_protocols = ipv4',
    'mynetworks = 10.255.255.255/32',
    'virtual_mailbox_domains = shop.test',
    `virtual_mailbox_base = ${dir}/mail`,
    `virtual_mailbox_maps = ${buildInlineTable([['ana@shop.test', 'ana/'], ...Object.keys(answers).map((to) => [to, 'none/'] as [string, string])])}`,
    'virtual_uid_maps = static:65534',
    'virtual_gid_maps = static:65534',
    'virtual_minimum_uid = 1',
    `relay_domains = ${domains.join(' ')}`,
    `transport_maps = ${buildInlineTable(domains.map((domain) => [domain, `smtp:[127.0.0.1]:${routes[domain]}`]))}`,
    `smtpd_recipient_restrictions = check_recipient_access ${buildInlineTable(Object.entries(answers))}, reject_unauth_destination`,
    'delay_warning_time = 1s',
    'queue_run_delay = 1s',
    'minimal_backoff_time = 1s',
    'maximal_backoff_time = 2s',
    `maillog_file = ${dir}/data/mail.log`,
    `maillog_file_prefixes = ${dir}`,
    '',
  ].join('\n')
}

function buildMasterCf(port: number): string {
  const parts = [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'bounce unix - - n - 0 bounce',
    'defer unix - - n - 0 bounce',
    'trace unix - - n - 0 bounce',
    'verify unix - - n - 1 verify',
    'flush unix n - n 1000? 0 flush',
    'proxymap unix - - n - - proxymap',
    'smtp unix - - n - - smtp',
    'relay unix - - n - - smtp',
    'error unix - - n - - error',
    'retry unix - - n - - error',
    'discard unix - - n - - discard',
    'virtual unix - n n - - virtual',
    'anvil unix - - n - 1 anvil',
    'scache unix - - n - 1 scache',
    'postlog unix-dgram n - n - 1 postlogd',
  ]
  return `${parts.join('\n')}\n`
}
