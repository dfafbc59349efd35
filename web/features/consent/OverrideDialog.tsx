import { Checkbox, NativeSelect, Radio, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import { type ConsentTable, groundLimits, overrideRule, type RuleName } from '../../../shared/shoppers/consent.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { ApiError, call } from '../../core/api/api.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { channelNames, listCountryChoices, type RuleToRelax } from './country-groups.ts'
import { useRefetchTable } from './country-queries.ts'

interface Props extends RuleToRelax {
  table: ConsentTable
  onClose: () => void
}

/** Relaxes a consent rule: for which countries, to which rule, and on what legal ground. */
export function OverrideDialog({ table, group, channel, onClose }: Props) {
  const from = group.rules[channel]
  const targets = table.overridable.find((each) => each.channel === channel && each.from === from)?.to ?? []
  const places = listCountryChoices(table, group)
  const [country, setCountry] = useState(group.countries[0] ?? '*')
  const [to, setTo] = useState<RuleName | undefined>(targets.at(-1))
  const [legalGround, setLegalGround] = useState('')
  const [isMeant, setMeant] = useState(false)
  const override = useOverrideRule()
  useDraft(`override:${channel}:${from}`, legalGround || null, setLegalGround)
  const findRule = (name: RuleName | undefined) => table.rules.find((rule) => rule.name === name)
  const problem = override.error instanceof ApiError ? override.error.fields.legalGround : undefined
  const isTooShort = legalGround.trim().length < groundLimits.min
  return (
    <Confirm
      opened
      title={`Change the rule for ${channel === 'email' ? 'email' : channelNames[channel]}`}
      confirmLabel="Change the rule"
      isDangerous
      isBusy={override.isPending}
      isDisabled={!to || !isMeant || isTooShort}
      problem={override.error && !problem ? override.error.message : null}
      size="lg"
      onConfirm={() => to && override.mutate({ channel, country, from, to, legalGround }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Stack gap="md">
        <Text fz="sm">
          Current rule: <strong>{findRule(from)?.title}</strong>. {findRule(from)?.sentence}
        </Text>
        <NativeSelect
          label="Applies to"
          value={country}
          onChange={(event) => setCountry(event.currentTarget.value)}
          data={[
            ...places.map(({ code, name }) => ({ value: code, label: name })),
            { value: '*', label: 'Every country with this rule' },
          ]}
        />
        <Radio.Group label="New rule" value={to ?? ''} onChange={(value) => setTo(value as RuleName)}>
          <Stack gap="xs" mt={6}>
            {targets.map((name) => (
              <Radio key={name} value={name} label={findRule(name)?.title} description={findRule(name)?.sentence} />
            ))}
          </Stack>
        </Radio.Group>
        <Textarea
          label="Which law, agreement or advice allows this?"
          description={`At least ${groundLimits.min} characters. It is recorded with your name and the date.`}
          autosize
          minRows={3}
          maxLength={groundLimits.max}
          value={legalGround}
          error={problem}
          onChange={(event) => setLegalGround(event.currentTarget.value)}
        />
        <Notice tone="warn" title="What this means">
          {explainChange(to)} People who opted out still get nothing. If you are not sure that the law allows this, ask
          a lawyer first: you are liable for any fines for messages without consent.
        </Notice>
        <Checkbox
          label="I have checked this and take responsibility for it"
          checked={isMeant}
          onChange={(event) => setMeant(event.currentTarget.checked)}
        />
      </Stack>
    </Confirm>
  )
}

function explainChange(to: RuleName | undefined): string {
  if (to === 'opt_out') return 'People who never agreed to anything will be contacted.'
  if (to === 'soft_opt_in')
    return 'People who bought from you before will be contacted, even though they never opted in.'
  return 'Unconfirmed phone numbers will get messages, even if someone entered another person’s number.'
}

function useOverrideRule() {
  const onSettled = useRefetchTable()
  return useMutation({
    mutationFn: (body: z.input<typeof overrideRule.body>) => call(overrideRule, { body }),
    onSettled,
  })
}
