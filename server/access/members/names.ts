import { hasAddress } from '../../core/common/addresses-in-text.ts'
import { AppError } from '../../core/common/errors.ts'

// Names people give stand in our mails to others.

export const NAME_WITH_ADDRESS = 'A name cannot contain a web or email address'

/** Throws `invalid` at `field`. `ownHost`: a shop may be called by its own address. */
export function assertPlainName(name: string, field: string, ownHost?: string): void {
  if (!hasAddress(name, ownHost === undefined ? [] : [ownHost])) return
  throw new AppError('invalid', NAME_WITH_ADDRESS, { fields: { [field]: NAME_WITH_ADDRESS } })
}
