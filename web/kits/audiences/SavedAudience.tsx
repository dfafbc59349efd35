import { NativeSelect } from '@mantine/core'
import type { Audience } from '../../../shared/marketing/audience.ts'

interface Props {
  audiences: readonly Audience[]
  /** Audience id; empty means none. */
  value: string
  onChange: (audience: Audience | null) => void
}

export const SavedAudience = ({ audiences, value, onChange }: Props) => (
  <NativeSelect
    label="Saved audience"
    style={{ flex: '1 1 200px' }}
    data={[{ value: '', label: 'None' }, ...audiences.map(({ id, name: label }) => ({ value: id, label }))]}
    value={audiences.some(({ id }) => id === value) ? value : ''}
    onChange={({ currentTarget }) => onChange(audiences.find(({ id }) => id === currentTarget.value) ?? null)}
  />
)
