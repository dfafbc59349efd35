import { AppError, hasAddress } from '../../core/common/public.ts'

// Checks names that appear in our mails to other people.

export const NAME_WITH_ADDRESS = 'A name cannot contain a web or email address'

/** Throws `invalid` at `field`. `ownHost`: the shop's own address, which its name may contain. */
export function assertPlainName(name: string, field: string, ownHost?: string): void {
  if (!hasAddress(name, ownHost === undefined ? [] : [ownHost])) return
  throw new AppError('invalid', NAME_WITH_ADDRESS, { fields: { [field]: NAME_WITH_ADDRESS } })
}
