import { Card, NativeSelect, NumberInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { brandLimits, fontStackNames, fontStacks } from '../../shared/brand.ts'
import type { BrandView } from '../../shared/brand-calls.ts'
import type { StoreView } from '../../shared/stores.ts'
import { useHasPermission } from '../access/queries.ts'
import { ApiError } from '../api.ts'
import { Notice } from '../ui/Notice.tsx'
import { NotSaved } from '../ui/NotSaved.tsx'
import { SaveBar } from '../ui/SaveBar.tsx'
import { ColourFields } from './ColourFields.tsx'
import { LogoCard } from './LogoCard.tsx'
import { LookPreview } from './LookPreview.tsx'
import { SocialFields } from './SocialFields.tsx'
import { type BrandFormState, useBrandForm } from './useBrandForm.ts'

export function BrandForm({ store, view }: { store: StoreView; view: BrandView }) {
  const { form, save, submit, discard } = useBrandForm(store.id, view)
  const isFixed = !useHasPermission('flows:switch')
  return (
    <div className="brand">
      <div className="brand-parts">
        {isFixed && <Notice tone="info">Only the owner or an admin of the account can change these.</Notice>}
        <LogoCard store={store} view={view} form={form} isFixed={isFixed} />
        <Look form={form} isFixed={isFixed} />
        <Words form={form} isFixed={isFixed} />
        <SocialFields form={form} isFixed={isFixed} />
      </div>
      <LookPreview storeId={store.id} view={view} look={form.values} />
      <SaveBar
        isDirty={form.isDirty()}
        isSaving={save.isPending}
        isDisabled={isFixed}
        problem={save.error && <Outcome error={save.error} />}
        onSave={submit}
        onDiscard={discard}
      />
    </div>
  )
}

function Outcome({ error }: { error: Error }) {
  const isConflict = error instanceof ApiError && error.code === 'conflict'
  return (
    <NotSaved>
      {error.message}{' '}
      {isConflict && 'Your changes are still here: save again to keep yours, or discard to take theirs.'}
    </NotSaved>
  )
}

interface PartProps {
  form: BrandFormState
  isFixed: boolean
}

function Look({ form, isFixed }: PartProps) {
  return (
    <Card component="section" aria-label="Colors and font">
      <Title order={2}>Colors and font</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Text and links need a contrast of at least 4.5:1 with the background, so that everybody can read them.
      </Text>
      <Stack gap="md">
        <ColourFields form={form} isFixed={isFixed} />
        <NativeSelect
          label="Font"
          description="Email programs only show fonts that the reader’s device has."
          data={fontStackNames.map((value) => ({ value, label: fontStacks[value].name }))}
          disabled={isFixed}
          maw={280}
          {...form.getInputProps('fontStack')}
        />
        <NumberInput
          label="Corner radius"
          description={`Of buttons and pictures, 0 to ${brandLimits.radius} pixels`}
          min={0}
          max={brandLimits.radius}
          clampBehavior="none"
          allowDecimal={false}
          disabled={isFixed}
          styles={{ wrapper: { width: 110 } }}
          {...form.getInputProps('radius')}
        />
      </Stack>
    </Card>
  )
}

function Words({ form, isFixed }: PartProps) {
  return (
    <Card component="section" aria-label="Words">
      <Title order={2}>Words</Title>
      <Stack gap="md" mt="md">
        <TextInput
          label="Shipping and returns"
          description="One line that stands with the cart"
          placeholder="Free shipping over $50 · 30 days to return"
          disabled={isFixed}
          {...form.getInputProps('promise')}
        />
        <TextInput
          label="Footer"
          description="Above the postal address. The unsubscribe link and the address are always there."
          disabled={isFixed}
          {...form.getInputProps('footerWords')}
        />
      </Stack>
    </Card>
  )
}
