import { Card, Stack, Text, Title } from '@mantine/core'
import type { StoreView } from '../../shared/stores.ts'
import { useMay } from '../access/queries.ts'
import { DurationInput } from '../ui/DurationInput.tsx'
import { Notice } from '../ui/Notice.tsx'
import { SaveBar } from '../ui/SaveBar.tsx'
import { useSettingsForm } from './useSettingsForm.ts'

export function RecoveryRulesForm({ store }: { store: StoreView }) {
  const { form, save, submit, discard } = useSettingsForm(store)
  const isFixed = !useMay('flows:switch')
  const { value, onChange, error } = form.getInputProps('abandonmentTimeoutMinutes')
  return (
    <>
      <Card>
        <Title order={2}>Recovery rules</Title>
        <Text fz="sm" c="dimmed" mt={4} mb="md">
          When a cart of this store counts as abandoned.
        </Text>
        <Stack gap="md">
          {isFixed && <Notice tone="info">Only the owner or an admin of the account can change these.</Notice>}
          <DurationInput
            label="A cart counts as abandoned after"
            description="Without activity of the shopper; 15 minutes to 7 days. A flow whose first message goes earlier counts from there."
            disabled={isFixed}
            minutes={value}
            onChange={onChange}
            error={error}
          />
          {save.error && (
            <Notice tone="bad" title="Not saved" isLive>
              {save.error.message}
            </Notice>
          )}
        </Stack>
      </Card>
      <SaveBar isDirty={form.isDirty()} isSaving={save.isPending} onSave={submit} onDiscard={discard} />
    </>
  )
}
