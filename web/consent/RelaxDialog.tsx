import { Checkbox, NativeSelect, Radio, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { type ConsentTable, groundLimits, type RuleName } from '../../shared/consent.ts'
import { useDraft } from '../access/drafts.ts'
import { ApiError } from '../api.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Notice } from '../ui/Notice.tsx'
import { channelNames, choices, type Relaxing } from './country-groups.ts'
import { useRelax } from './country-queries.ts'

interface Props extends Relaxing {
  table: ConsentTable
  onClose: () => void
}

/** Asks what a lawyer would ask: for whom, to what, and on what ground. */
export function RelaxDialog({ table, group, channel, onClose }: Props) {
  const from = group.rules[channel]
  const targets = table.relaxable.find((each) => each.channel === channel && each.from === from)?.to ?? []
  const places = choices(table, group)
  const [country, setCountry] = useState(group.countries[0] ?? '*')
  const [to, setTo] = useState<RuleName | undefined>(targets.at(-1))
  const [legalGround, setLegalGround] = useState('')
  const [isMeant, setMeant] = useState(false)
  const relax = useRelax()
  useDraft(`relax:${channel}:${from}`, legalGround || null, setLegalGround)
  const ruleOf = (name: RuleName | undefined) => table.rules.find((rule) => rule.name === name)
  const problem = relax.error instanceof ApiError ? relax.error.fields.legalGround : undefined
  const isTooShort = legalGround.trim().length < groundLimits.least
  return (
    <Confirm
      opened
      title={`Relax the rule for ${channel === 'email' ? 'email' : channelNames[channel]}`}
      confirmLabel="Relax the rule"
      isDangerous
      isBusy={relax.isPending}
      isDisabled={!to || !isMeant || isTooShort}
      problem={relax.error && !problem ? relax.error.message : null}
      size="lg"
      onConfirm={() => to && relax.mutate({ channel, country, from, to, legalGround }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Stack gap="md">
        <Text fz="sm">
          The rule today: <strong>{ruleOf(from)?.title}</strong>. {ruleOf(from)?.sentence}
        </Text>
        <NativeSelect
          label="For whom"
          value={country}
          onChange={(event) => setCountry(event.currentTarget.value)}
          data={[
            ...places.map(({ code, name }) => ({ value: code, label: name })),
            { value: '*', label: 'Every country with this rule' },
          ]}
        />
        <Radio.Group label="The rule from now on" value={to ?? ''} onChange={(value) => setTo(value as RuleName)}>
          <Stack gap="xs" mt={6}>
            {targets.map((name) => (
              <Radio key={name} value={name} label={ruleOf(name)?.title} description={ruleOf(name)?.sentence} />
            ))}
          </Stack>
        </Radio.Group>
        <Textarea
          label="Which law, agreement or advice allows this?"
          description={`In at least ${groundLimits.least} characters. It is kept with your name and the date.`}
          autosize
          minRows={3}
          maxLength={groundLimits.most}
          value={legalGround}
          error={problem}
          onChange={(event) => setLegalGround(event.currentTarget.value)}
        />
        <Notice tone="warn" title="What this means">
          {meaning(to)} Whoever has said no still gets nothing. If you are not sure that the law allows this, ask a
          lawyer first: fines for messages without consent are yours to pay.
        </Notice>
        <Checkbox
          label="I have checked this and answer for it"
          checked={isMeant}
          onChange={(event) => setMeant(event.currentTarget.checked)}
        />
      </Stack>
    </Confirm>
  )
}

function meaning(to: RuleName | undefined): string {
  if (to === 'opt_out') return 'People who never agreed to anything will be written to.'
  if (to === 'soft_opt_in') return 'People who bought from you before will be written to, although they never agreed.'
  return 'People whose number nobody has confirmed will get messages: somebody may have typed a stranger’s number.'
}
