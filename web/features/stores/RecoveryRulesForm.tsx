import { Card, Group, NumberInput, Stack, Text, TextInput, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { StoreView } from '../../../shared/access/stores.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { DurationInput } from '../../core/ui/DurationInput.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { SaveBar } from '../../core/ui/SaveBar.tsx'
import { SettingsOutcome } from './SettingsOutcome.tsx'
import { useSettingsForm } from './useSettingsForm.ts'

type Form = ReturnType<typeof useSettingsForm>['form']

export function RecoveryRulesForm({ store }: { store: StoreView }) {
  const { form, save, clashes, submit, discard } = useSettingsForm(store)
  const isFixed = !useHasPermission('flows:switch')
  return (
    <>
      {isFixed && <Notice tone="info">Only the owner or an admin of the account can change these.</Notice>}
      <Timeout form={form} isFixed={isFixed} />
      <Cap form={form} isFixed={isFixed} />
      <QuietHours form={form} isFixed={isFixed} />
      <Attribution form={form} isFixed={isFixed} />
      <SaveBar
        isDirty={form.isDirty()}
        isSaving={save.isPending}
        isDisabled={isFixed}
        problem={save.error && <SettingsOutcome save={save} clashes={clashes} />}
        onSave={submit}
        onDiscard={discard}
      />
    </>
  )
}

/** Keeps the text above within the card's width. */
const narrow = { wrapper: { width: 110 } }

interface RuleProps {
  form: Form
  isFixed: boolean
}

function Timeout({ form, isFixed }: RuleProps) {
  const { value, onChange, error } = form.getInputProps('abandonmentTimeoutMinutes')
  return (
    <Rule
      title="Abandonment"
      about="How long a cart is inactive before it counts as abandoned."
      existing="Open carts are re-evaluated immediately, based on the shopper’s last activity. Carts already abandoned stay abandoned."
    >
      <DurationInput
        label="A cart counts as abandoned after"
        description="15 minutes to 7 days of inactivity. If an active flow sends its first message earlier, the cart counts as abandoned from then."
        disabled={isFixed}
        minutes={value}
        onChange={onChange}
        error={error}
      />
    </Rule>
  )
}

function Cap({ form, isFixed }: RuleProps) {
  const { value: hours, onChange: setHours, error } = form.getInputProps('capWindowHours')
  const cooldown = form.getInputProps('textCooldownHours')
  return (
    <Rule
      title="Frequency cap"
      about="How often one person is messaged, across all flows and channels of this store."
      existing="The new limit applies to all unsent messages. Messages already sent count towards it."
    >
      <NumberInput
        label="Messages per person"
        description="Maximum, 1 to 20. Messages over the limit wait until there is room."
        styles={narrow}
        min={1}
        max={20}
        clampBehavior="none"
        allowDecimal={false}
        disabled={isFixed}
        {...form.getInputProps('capMessages')}
      />
      <DurationInput
        label="Within"
        description="A rolling period of 1 hour to 7 days."
        units={['hours', 'days']}
        disabled={isFixed}
        minutes={hours * 60}
        onChange={(minutes) => setHours(minutes / 60)}
        error={error}
      />
      <DurationInput
        label="Time between texts about a cart"
        description="Minimum time between two SMS, or two WhatsApp messages, about the same cart; 1 hour to 7 days."
        units={['hours', 'days']}
        disabled={isFixed}
        minutes={cooldown.value * 60}
        onChange={(minutes) => cooldown.onChange(minutes / 60)}
        error={cooldown.error}
      />
    </Rule>
  )
}

function QuietHours({ form, isFixed }: RuleProps) {
  const time = (name: 'quietFrom' | 'quietUntil', label: string) => (
    <TextInput
      label={label}
      type="time"
      required
      withAsterisk={false}
      disabled={isFixed}
      {...form.getInputProps(name)}
    />
  )
  return (
    <Rule
      title="Quiet hours"
      about="When no SMS, WhatsApp message or push notification is sent, in the recipient’s local time. Email isn’t affected by quiet hours."
      existing="A message due within quiet hours waits until they end, and is then checked again."
    >
      <Group gap="md" align="flex-start">
        {time('quietFrom', 'Start')}
        {time('quietUntil', 'End')}
      </Group>
    </Rule>
  )
}

function Attribution({ form, isFixed }: RuleProps) {
  return (
    <Rule
      title="Attribution window"
      about="How long after a shopper’s click on a message, restored cart or used coupon an order counts as recovered. Opens never count."
      existing="Applies from now on. Carts already recovered, purchased or lost keep their state unless the shopper orders or changes something again."
    >
      <NumberInput
        label="Days"
        description="1 to 30"
        styles={narrow}
        min={1}
        max={30}
        clampBehavior="none"
        allowDecimal={false}
        disabled={isFixed}
        {...form.getInputProps('attributionWindowDays')}
      />
    </Rule>
  )
}

interface RuleCardProps {
  title: string
  about: string
  /** Effect of a change on existing carts and messages. */
  existing: string
  children: ReactNode
}

function Rule({ title, about, existing, children }: RuleCardProps) {
  return (
    <Card component="section" aria-label={title}>
      <Title order={2}>{title}</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        {about}
      </Text>
      <Stack gap="md">
        {children}
        <Text fz="sm">
          <strong>When you change it:</strong> {existing}
        </Text>
      </Stack>
    </Card>
  )
}
