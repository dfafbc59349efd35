// Number aliases: WhatsApp uses another number for some people than the one they are called at. Pure.

const PAIRS: readonly [written: RegExp, other: string][] = [
  // Mexico: the 1 that mobile numbers had until 2019.
  [/^\+521(\d{10})$/, '+52$1'],
  [/^\+52([2-9]\d{9})$/, '+521$1'],
  // Argentina: the 9 of mobile numbers.
  [/^\+549(\d{10})$/, '+54$1'],
  [/^\+54([1-8]\d{9})$/, '+549$1'],
  // Brazil: the ninth digit of mobile numbers, which came by region from 2012 on.
  [/^\+55(\d{2})9([6-9]\d{7})$/, '+55$1$2'],
  [/^\+55(\d{2})([6-9]\d{7})$/, '+55$19$2'],
]

/** The number itself first, then its alias. */
export function listNumberAliases(phone: string): string[] {
  const pair = PAIRS.find(([written]) => written.test(phone))
  return pair ? [phone, phone.replace(pair[0], pair[1])] : [phone]
}
