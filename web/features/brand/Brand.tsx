import './brand.css'
import { ActionIcon, Button, Card, NativeSelect, NumberInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue, useViewportSize } from '@mantine/hooks'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import type { StoreView } from '../../../shared/access/stores.ts'
import {
  type BrandFields,
  brandLimits,
  type ColourName,
  chooseLabelColour,
  colourNames,
  findBrandProblems,
  fontStackNames,
  fontStacks,
  type SocialKind,
  socialKinds,
} from '../../../shared/messages/brand.ts'
import type { BrandView } from '../../../shared/workspace/brand-calls.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { ApiError } from '../../core/api/api.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingCards, LoadingMail } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { NotSaved } from '../../core/ui/NotSaved.tsx'
import { SaveBar } from '../../core/ui/SaveBar.tsx'
import { MessageShown } from '../../kits/message-editor/MessageShown.tsx'
import { LogoCard } from './LogoCard.tsx'
import { useBrand, useBrandPreview } from './queries.ts'
import { checkWhileChosen, describeContrast, listUnusedKinds, normalizeBrand, toPickerColour } from './rules.ts'
import { type BrandFormState, useBrandForm } from './useBrandForm.ts'

/** Settings for the look of the store's mails. */
export function Brand({ store }: { store: StoreView }) {
  const brand = useBrand(store.id)
  return (
    <Loaded query={brand} loading={<LoadingCards count={3} />} failed="The brand could not be loaded">
      {(view) => <BrandForm store={store} view={view} />}
    </Loaded>
  )
}

function BrandForm({ store, view }: { store: StoreView; view: BrandView }) {
  const { form, save, submit, discard } = useBrandForm(store.id, view)
  const isFixed = !useHasPermission('flows:switch')
  return (
    <div className="brand">
      <div className="brand-parts">
        {isFixed && <Notice tone="info">Only the owner or an admin of the account can change these.</Notice>}
        <LogoCard store={store} view={view} form={form} isFixed={isFixed} />
        <AppearanceFields form={form} isFixed={isFixed} />
        <TextFields form={form} isFixed={isFixed} />
        <SocialFields form={form} isFixed={isFixed} />
      </div>
      <BrandPreview storeId={store.id} view={view} brand={form.values} />
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

function AppearanceFields({ form, isFixed }: PartProps) {
  return (
    <Card component="section" aria-label="Colors and font">
      <Title order={2}>Colors and font</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Text and links need a contrast of at least 4.5:1 with the background.
      </Text>
      <Stack gap="md">
        <ColourFields form={form} isFixed={isFixed} />
        <NativeSelect
          label="Font"
          description="Email programs show only fonts on the reader’s device"
          data={fontStackNames.map((value) => ({ value, label: fontStacks[value].name }))}
          disabled={isFixed}
          maw={280}
          {...form.getInputProps('fontStack')}
        />
        <NumberInput
          label="Corner radius"
          description={`Buttons and pictures, 0 to ${brandLimits.radius} pixels`}
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

function TextFields({ form, isFixed }: PartProps) {
  return (
    <Card component="section" aria-label="Texts">
      <Title order={2}>Texts</Title>
      <Stack gap="md" mt="md">
        <TextInput
          label="Shipping and returns"
          description="Shown below the cart"
          placeholder="Free shipping over $50 · 30 days to return"
          disabled={isFixed}
          {...form.getInputProps('promise')}
        />
        <TextInput
          label="Footer"
          description="Above the postal address and the unsubscribe link"
          disabled={isFixed}
          {...form.getInputProps('footerWords')}
        />
      </Stack>
    </Card>
  )
}

const labels: Record<ColourName, string> = {
  button: 'Button color',
  text: 'Text color',
  ground: 'Background color',
  accent: 'Link color',
}

function ColourFields({ form, isFixed }: { form: BrandFormState; isFixed: boolean }) {
  return (
    <div className="brand-colours">
      {colourNames.map((name) => (
        <ColourField key={name} name={name} form={form} isFixed={isFixed} />
      ))}
    </div>
  )
}

interface Props {
  name: ColourName
  form: BrandFormState
  isFixed: boolean
}

/** Color input, typed or picked in the browser's picker. Shows the contrast while the color is chosen. */
function ColourField({ name, form, isFixed }: Props) {
  const value = form.values[name]
  const choose = (colour: string) => {
    form.setFieldValue(name, colour)
    // Changing another color may change this one's contrast.
    for (const each of colourNames) form.clearFieldError(each)
  }
  const contrastNote = name === 'ground' ? null : describeContrast(name, form.values)
  const live = form.errors[name] ?? checkWhileChosen(name, form.values)
  return (
    <div>
      <TextInput
        label={labels[name]}
        disabled={isFixed}
        spellCheck={false}
        autoComplete="off"
        value={value}
        error={live}
        description={contrastNote}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        onChange={(event) => choose(event.currentTarget.value)}
        leftSection={
          <input
            type="color"
            className="brand-swatch"
            aria-label={`Pick the ${labels[name].toLowerCase()}`}
            value={toPickerColour(value)}
            disabled={isFixed}
            onChange={(event) => choose(event.currentTarget.value)}
          />
        }
        leftSectionPointerEvents="all"
        leftSectionWidth={44}
      />
      {name === 'button' && contrastNote && (
        <span
          className="brand-button"
          style={{ background: toPickerColour(value), color: chooseLabelColour(toPickerColour(value)) }}
        >
          Button
        </span>
      )}
    </div>
  )
}

const PAUSE_MS = 300
const MIN_HEIGHT = 420
const HEIGHT_AROUND = 300

/**
 * A mail rendered by the sending code with the unsaved settings. Keeps the last preview if the settings are invalid.
 */
function BrandPreview({ storeId, view, brand }: { storeId: string; view: BrandView; brand: BrandFields }) {
  const usable = useLastUsable(brand, view.look)
  const [settled] = useDebouncedValue(usable, PAUSE_MS)
  const preview = useBrandPreview(storeId, settled, view.logo?.path ?? null)
  // The whole card fits the screen beside the form.
  const height = Math.max(MIN_HEIGHT, useViewportSize().height - HEIGHT_AROUND)
  return (
    <Card component="section" aria-label="Preview" className="brand-preview">
      <Title order={2} mb="md">
        Preview
      </Title>
      {preview.data ? (
        <MessageShown
          channel="email"
          message={preview.data}
          isStale={preview.isPlaceholderData || settled !== usable}
          height={height}
        />
      ) : preview.error ? (
        <Failed title="The preview could not be loaded" error={preview.error} onRetry={() => preview.refetch()} />
      ) : (
        <LoadingMail />
      )}
    </Card>
  )
}

/** An incomplete color keeps the last preview. */
function useLastUsable(brand: BrandFields, saved: BrandFields): BrandFields {
  const isUsable = Object.keys(findBrandProblems(brand)).length === 0
  const text = JSON.stringify(normalizeBrand(brand))
  const [last, setLast] = useState(JSON.stringify(saved))
  if (isUsable && text !== last) setLast(text)
  return useMemo(() => JSON.parse(last), [last])
}

function SocialFields({ form, isFixed }: { form: BrandFormState; isFixed: boolean }) {
  const { social } = form.values
  const [next] = listUnusedKinds(form.values)
  return (
    <Card component="section" aria-label="Social links">
      <Title order={2}>Social links</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        {social.length > 0 ? 'In the footer, in this order.' : 'Your other pages, in the footer'}
      </Text>
      <Stack gap="sm">
        {social.map(({ kind }, index) => (
          <SocialRow key={kind} form={form} index={index} isFixed={isFixed} />
        ))}
        {!isFixed && next && (
          <Button
            variant="default"
            style={{ alignSelf: 'flex-start' }}
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => form.insertListItem('social', { kind: next, url: '' })}
          >
            Add link
          </Button>
        )}
      </Stack>
    </Card>
  )
}

function SocialRow({ form, index, isFixed }: { form: BrandFormState; index: number; isFixed: boolean }) {
  const { kind } = form.values.social[index]!
  const choices = [kind, ...listUnusedKinds(form.values)]
  const { name, hosts } = socialKinds[kind]
  return (
    <div className="brand-social">
      <NativeSelect
        aria-label={`Type of link ${index + 1}`}
        data={choices.map((value) => ({ value, label: socialKinds[value].name }))}
        disabled={isFixed}
        value={kind}
        onChange={(event) => form.setFieldValue(`social.${index}.kind`, event.currentTarget.value as SocialKind)}
      />
      <TextInput
        aria-label={`Address of ${name}`}
        placeholder={`https://www.${hosts[0]}/your-shop`}
        type="url"
        spellCheck={false}
        disabled={isFixed}
        {...form.getInputProps(`social.${index}.url`)}
      />
      {!isFixed && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={`Remove ${name}`}
          onClick={() => form.removeListItem('social', index)}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      )}
    </div>
  )
}
