// Parses and validates the text of settings. Used only by config.ts. Pure, except where a file is checked.

import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { isTextSender } from '../../../shared/text-channels.ts'
import { isAddressOrRange } from '../net/clients.ts'

export type Role = 'web' | 'worker'

/**
 * Longest name before the `+` of a return address: a local part has at most 64 characters (RFC 5321), and the mail's id
 * needs 42 (return-path.ts).
 */
export const MAX_BOUNCE_NAME_LENGTH = 64 - 1 - 42

export function readRoles(list: string, context: z.RefinementCtx): readonly Role[] {
  const roles = list.split(',').map((role) => role.trim())
  const known = roles.filter((role): role is Role => role === 'web' || role === 'worker')
  if (known.length < roles.length) context.addIssue('ROLES must be web, worker or web,worker.')
  return Object.freeze([...new Set(known)])
}

export function readProxies(list: string, context: z.RefinementCtx): readonly string[] {
  const proxies = list.split(',').flatMap((proxy) => proxy.trim() || [])
  if (!proxies.every(isAddressOrRange)) {
    context.addIssue('TRUSTED_PROXIES must be addresses or ranges such as 127.0.0.1 or 10.0.0.0/8, with commas.')
  }
  return Object.freeze(proxies)
}

export function readAddresses(list: string, context: z.RefinementCtx): readonly string[] {
  const addresses = list.split(',').flatMap((address) => address.trim().toLowerCase() || [])
  if (!addresses.every((address) => /^[^\s@]+@[^\s@]+$/.test(address))) {
    context.addIssue('OPERATOR_EMAILS must be email addresses, with commas.')
  }
  return Object.freeze(addresses)
}

export function readNameServers(list: string, context: z.RefinementCtx): readonly string[] {
  const servers = list.split(',').flatMap((server) => server.trim() || [])
  const isServer = (server: string) => ipaddr.isValid(server) || /^([\d.]+|\[[\da-f:]+\]):\d{1,5}$/i.test(server)
  if (!servers.every(isServer))
    context.addIssue('DNS_SERVERS must be addresses such as 1.1.1.1 or 1.1.1.1:53, with commas.')
  return Object.freeze(servers)
}

/** Accepts numbers, messaging services and short codes. Recipients cannot reply STOP to an alphanumeric sender. */
export function readTextSenders(list: string, context: z.RefinementCtx) {
  const given = list.split(',').flatMap((one) => one.trim() || [])
  const senders = given.map((one) => {
    const [, country = null, sender = ''] = /^(?:([A-Z]{2}):)?(.*)$/.exec(one) ?? []
    return { country, sender }
  })
  if (!senders.every(({ sender }) => isTextSender(sender) && !isName(sender))) {
    context.addIssue(
      'OPERATOR_TWILIO_SENDERS must be numbers such as +12025550100, messaging services (MG…) or short codes, with commas; with DE: before one that is for a country.',
    )
  }
  return Object.freeze(senders)
}

const isName = (sender: string): boolean => /[a-z]/i.test(sender) && !/^MG[\da-f]{32}$/i.test(sender)

/** Thousandths, so that prices stay whole numbers. */
export function readFactor(name: string, otherwise: string) {
  return text(otherwise)
    .refine(
      (value) => /^\d{1,2}(\.\d{1,3})?$/.test(value) && Number(value) >= 0.1,
      `${name} must be a number from 0.1 to 99, such as 1.5, with at most three digits after the point.`,
    )
    .transform((value) => Math.round(Number(value) * 1_000))
}

export function text(otherwise: string) {
  return z.string().default(otherwise)
}

export function optional(isValid: (value: string) => boolean, mistake: string) {
  return z.string().refine(isValid, mistake).optional()
}

export function port(otherwise: number, name = 'PORT') {
  return wholeNumber(name, otherwise, 1, 65_535)
}

export function wholeNumber(name: string, otherwise: number, least: number, most: number) {
  const isInRange = (value: string) => /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most
  return text(String(otherwise))
    .refine(isInRange, `${name} must be a whole number from ${least} to ${most}.`)
    .transform(Number)
}

export function onOff(name: string) {
  return z.enum(['on', 'off'], `${name} must be on or off.`).transform((value) => value === 'on')
}

export function isUrlOf(...protocols: string[]) {
  return (value: string) =>
    URL.canParse(value) && protocols.includes(new URL(value).protocol) && new URL(value).hostname !== ''
}

export function isBounceAddress(address: string) {
  const [name = '', domain = '', ...more] = address.split('@')
  const isName = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(name) && name.length <= MAX_BOUNCE_NAME_LENGTH
  return isName && more.length === 0 && /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9-]{1,63}$/i.test(domain)
}

export function isOrigin(value: string) {
  if (!isUrlOf('http:', 'https:')(value)) return false
  const url = new URL(value)
  return url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
}

/** URL.canParse does not work: the socket form, postgres://user@/name?host=/folder, has no host. */
export function isPostgresUrl(value: string) {
  return /^postgres(ql)?:\/\/./.test(value)
}

export function isLoopback(host: string) {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  if (/(^|\.)localhost$/i.test(bare)) return true
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback'
}

export function defaultPublicUrl(host: string, port: number) {
  const isAnywhere = ['0.0.0.0', '::', '[::]'].includes(host)
  if (isAnywhere || isLoopback(host)) return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host.replace(/[[\]]/g, '')}]` : host}:${port}`
}
