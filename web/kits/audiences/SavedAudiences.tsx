import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Audience, AudienceFilters } from '../../../shared/marketing/audience.ts'
import { BROKEN, getErrorText } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { useAudiences, useDeleteAudience, useSaveAudience } from './queries.ts'
import { SavedAudience } from './SavedAudience.tsx'

interface Props {
  filters: AudienceFilters
  isReadOnly: boolean
  onChoose: (filters: AudienceFilters) => void
}

/** Saved filter sets with a name ("Customer Segmentation"). */
export function SavedAudiences({ filters, isReadOnly, onChoose }: Props) {
  const { data } = useAudiences(!isReadOnly)
  const [chosen, setChosen] = useState('')
  const [name, setName] = useState('')
  const keep = useSaveAudience()
  const forget = useDeleteAudience()
  if (!data) return null
  const { audiences } = data
  const selected = audiences.find(({ id }) => id === chosen)
  const choose = (audience: Audience | null) => {
    setChosen(audience?.id ?? '')
    if (audience) onChoose(audience.filters)
  }
  const error = keep.error ?? forget.error
  return (
    <Stack gap="sm">
      {audiences.length > 0 && (
        <Group gap="sm" align="flex-end">
          <SavedAudience audiences={audiences} value={chosen} onChange={choose} />
          {selected && (
            <Button variant="default" loading={forget.isPending} onClick={() => forget.mutate(selected.id)}>
              Delete saved audience
            </Button>
          )}
        </Group>
      )}
      <Group gap="sm" align="flex-end">
        <TextInput
          label="Save these filters as"
          placeholder="Name of the audience"
          style={{ flex: '1 1 200px' }}
          maxLength={120}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button
          variant="default"
          disabled={name.trim() === ''}
          loading={keep.isPending}
          onClick={() =>
            keep.mutate(
              { name: name.trim(), filters },
              {
                onSuccess: ({ audience }) => {
                  setName('')
                  setChosen(audience.id)
                  announce('Audience saved')
                },
              },
            )
          }
        >
          Save audience
        </Button>
      </Group>
      {error && (
        <Notice tone="bad" isLive>
          {getErrorText(error, BROKEN)}
        </Notice>
      )}
    </Stack>
  )
}
