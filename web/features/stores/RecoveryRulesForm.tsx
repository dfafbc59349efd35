import { Group, NumberInput, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { StoreView } from '../../../shared/access/stores.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { DurationInput } from '../../core/ui/DurationInput.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { SaveBar } from '../../core/ui/SaveBar.tsx'
import { SettingCard } from '../../core/ui/SettingCard.tsx'
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
      about="When an inactive cart becomes abandoned."
      existing="open carts are checked again at once. Abandoned carts stay abandoned."
    >
      <DurationInput
        label="A cart counts as abandoned after"
        description="15 minutes to 7 days of inactivity, or earlier if an active flow sends its first message earlier."
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
      about="Maximum across all flows and channels of this store."
      existing="it applies to all unsent messages. Sent messages count toward it."
    >
      <NumberInput
        label="Messages per person"
        description="1 to 20. Messages over the cap wait."
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
        description="1 hour to 7 days, rolling"
        units={['hours', 'days']}
        disabled={isFixed}
        minutes={hours * 60}
        onChange={(minutes) => setHours(minutes / 60)}
        error={error}
      />
      <DurationInput
        label="Time between texts about a cart"
        description="Minimum between two SMS or two WhatsApp messages; 1 hour to 7 days"
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
      about="No SMS, WhatsApp message or push notification is sent then, in the recipient’s local time. Emails are still sent."
      existing="messages due in quiet hours wait until they end and are checked again."
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
      about="How long after a click, a restored cart or a used coupon an order counts as recovered. Opens never count."
      existing="it applies from now on. Recovered, purchased and lost carts keep their state."
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
    <SettingCard title={title} about={about}>
      {children}
      <Text fz="sm" c="dimmed">
        When you change it: {existing}
      </Text>
    </SettingCard>
  )
}
