import { Checkbox, Stack } from '@mantine/core'
import { describeMissing } from './change-copy.ts'

interface Props {
  label: string
  /** How many stores must rest. */
  needed: number
  stores: readonly { id: string; name: string; url: string }[]
  chosen: string[]
  onChoose: (ids: string[]) => void
}

export function RestingChoice({ label, needed, stores, chosen, onChoose }: Props) {
  const missing = describeMissing(needed, chosen.length)
  return (
    <Checkbox.Group
      label={label}
      description="An inactive store tracks carts and syncs, but sends nothing. If you choose more than needed, only the newest become inactive."
      value={chosen}
      onChange={onChoose}
      error={missing}
    >
      <Stack gap="sm" mt="sm" mb={missing ? 'xs' : 0}>
        {stores.map(({ id, name, url }) => (
          <Checkbox key={id} value={id} label={name} description={url.replace(/^https?:\/\//, '')} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
