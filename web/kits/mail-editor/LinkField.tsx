import { NativeSelect, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { isHref, readAddress } from './fields.ts'

interface Props {
  label: string
  /** null: no link. */
  value: string | null
  /** A picture may have no link. */
  isOptional?: boolean
  onChange: (value: string | null) => void
}

const targets = [
  { value: 'cart', label: 'The shopper’s cart' },
  { value: 'shop', label: 'Your shop' },
  { value: 'address', label: 'A web or email address' },
]

/** Where a link leads: the cart, the shop, or an address. */
export function LinkField({ label, value, isOptional = false, onChange }: Props) {
  const [typed, setTyped] = useState<string | null>(null)
  const target = value === null ? 'none' : value === 'cart' || value === 'shop' ? value : 'address'
  const text = typed ?? (value ?? '').replace(/^mailto:/, '')
  const change = (next: string) => {
    setTyped(next)
    onChange(readAddress(next) ?? next)
  }
  return (
    <Stack gap="xs">
      <NativeSelect
        label={label}
        value={target}
        data={[...(isOptional ? [{ value: 'none', label: 'No link' }] : []), ...targets]}
        onChange={({ currentTarget: { value: next } }) => {
          setTyped(null)
          onChange(next === 'none' ? null : next === 'address' ? '' : next)
        }}
      />
      {target === 'address' && (
        <TextInput
          label="Address"
          type="text"
          inputMode="url"
          placeholder="https://"
          value={text}
          error={text !== '' && !isHref(value ?? '') ? 'Enter an address such as https://example.com' : undefined}
          onChange={(event) => change(event.currentTarget.value)}
        />
      )}
    </Stack>
  )
}
