import { Card, Group, NumberInput, Stack, Text, TextInput, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { StoreView } from '../../shared/stores.ts'
import { useMay } from '../access/queries.ts'
import { DurationInput } from '../ui/DurationInput.tsx'
import { Notice } from '../ui/Notice.tsx'
import { SaveBar } from '../ui/SaveBar.tsx'
import { SettingsOutcome } from './SettingsOutcome.tsx'
import { useSettingsForm } from './useSettingsForm.ts'

type Form = ReturnType<typeof useSettingsForm>['form']

export function RecoveryRulesForm({ store }: { store: StoreView }) {
  const { form, save, clashes, submit, discard } = useSettingsForm(store)
  const isFixed = !useMay('flows:switch')
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

/** The words above keep the card's width. */
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
      about="When a cart of this store is given up, and recovery begins."
      existing="Open carts are counted anew at once, from their shopper’s last activity. Carts that are abandoned already stay so."
    >
      <DurationInput
        label="A cart counts as abandoned after"
        description="Without activity of the shopper; 15 minutes to 7 days. A flow that is on and writes earlier counts from there."
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
      about="How often one person is written to, over all flows and channels of this store."
      existing="Messages on their way to being sent are held to the new limit; what was sent before counts towards it."
    >
      <NumberInput
        label="Messages per person"
        description="At most; 1 to 20. What is over the limit waits until there is room."
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
        description="Any stretch of this length; 1 hour to 7 days."
        units={['hours', 'days']}
        disabled={isFixed}
        minutes={hours * 60}
        onChange={(minutes) => setHours(minutes / 60)}
        error={error}
      />
      <DurationInput
        label="Between two texts for a cart"
        description="Two SMS, or two WhatsApp messages, about the same cart; 1 hour to 7 days."
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
      about="When no SMS, WhatsApp message or push notification is sent, by the clock where the recipient is. Email is not bound by them: it wakes nobody."
      existing="A message that falls due in the new hours waits until they end, and is then decided anew."
    >
      <Group gap="md" align="flex-start">
        {time('quietFrom', 'Begin')}
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
      existing="Holds from now on. A cart that is settled already keeps its state unless its shopper orders or changes something again."
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
  /** What a change means for the carts and messages already there. */
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
