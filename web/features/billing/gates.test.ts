import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Feature, featurePlans, PlanKey } from '../../../shared/billing/billing.ts'
import { reasonTexts } from '../../../shared/delivery/reasons.ts'
import { reminderTexts } from '../../../shared/delivery/reminders.ts'
import { analyticsTexts } from '../../../shared/insights/analytics.ts'
import { campaignTexts } from '../../../shared/marketing/campaigns.ts'
import { flowTexts } from '../../../shared/marketing/flows.ts'

// Where each screen offers a larger plan for a feature, and in which words (decision 6). Journeys in e2e/ check that
// the words appear. Here: every feature has an entry, and no screen compares plan names itself.

interface Prompt {
  screen: string
  /** The file and function that decide. */
  file: string
  asks: string
  /** The file with the text and the link to the plans. */
  offeredIn: string
  text: string
  sentence: string
}

const CARTS = {
  screen: '/carts',
  file: 'web/kits/manual-sends/useTextAction.ts',
  asks: "useHasFeature('manual_texts')",
}
const CAMPAIGN = {
  screen: '/campaigns',
  file: 'web/features/campaigns/rules.ts',
  offeredIn: 'web/features/campaigns/Steps.tsx',
}

/** The table type requires a row for every feature. */
const prompts: Record<Feature, Prompt[]> = {
  manual_texts: [
    ...[
      { text: 'reminderTexts.smsPlan', sentence: reminderTexts.smsPlan },
      { text: 'reminderTexts.whatsappPlan', sentence: reminderTexts.whatsappPlan },
    ].flatMap((mode) =>
      [
        'web/features/carts/CartsPage.tsx',
        'web/features/carts/RecoveryActions.tsx',
        'web/features/carts/BulkBar.tsx',
      ].map((offeredIn) => ({
        ...CARTS,
        ...mode,
        offeredIn,
      })),
    ),
    { ...CAMPAIGN, asks: "lacks('manual_texts')", text: 'campaignTexts.smsPlan', sentence: campaignTexts.smsPlan },
  ],
  flow_texts: [
    {
      screen: '/flows',
      file: 'server/marketing/flows/flows.ts',
      asks: "hasFeature(entitlements, 'flow_texts')",
      offeredIn: 'web/features/flow-editor/ChannelOrder.tsx',
      text: 'findObstacle(channel, obstacles)',
      sentence: reasonTexts.plan_required!,
    },
  ],
  flow_rules: [
    ...[
      ['web/features/flows/StartFrom.tsx', 'text={rulesPlan}'],
      ['web/features/flow-editor/EntryCard.tsx', 'text={rulesPlan}'],
      ['web/features/flow-editor/StepPanel.tsx', 'text={rulesPlan}'],
      ['web/features/flow-editor/FlowEditor.tsx', 'save.error.message'],
    ].map(([offeredIn, text]) => ({
      screen: '/flows',
      file: 'server/marketing/flows/save.ts',
      asks: "hasFeature(entitlements, 'flow_rules')",
      offeredIn: offeredIn!,
      text: text!,
      sentence: flowTexts.rulesPlan,
    })),
  ],
  scheduled_campaigns: [
    {
      ...CAMPAIGN,
      asks: "lacks('scheduled_campaigns')",
      text: 'campaignTexts.scheduledPlan',
      sentence: campaignTexts.scheduledPlan,
    },
  ],
  audience_filters: [
    {
      ...CAMPAIGN,
      asks: "lacks('audience_filters')",
      text: 'campaignTexts.filterPlan',
      sentence: campaignTexts.filterPlan,
    },
    {
      ...CAMPAIGN,
      file: 'web/features/campaigns/Steps.tsx',
      asks: "useHasFeature('audience_filters')",
      text: 'campaignTexts.filterPlan',
      sentence: campaignTexts.filterPlan,
    },
  ],
  campaign_texts: [
    ...[
      { text: 'campaignTexts.plannedSmsPlan', sentence: campaignTexts.plannedSmsPlan },
      { text: 'campaignTexts.whatsappPlan', sentence: campaignTexts.whatsappPlan },
    ].map((prompt) => ({ ...CAMPAIGN, ...prompt, asks: "lacks('campaign_texts')" })),
  ],
  advanced_analytics: [
    {
      screen: '/analytics',
      file: 'web/features/analytics/AnalyticsPage.tsx',
      offeredIn: 'web/features/analytics/AnalyticsPage.tsx',
      asks: 'featurePlans.advanced_analytics',
      text: 'come with Starter and Growth.',
      sentence: 'and 90 days or a year come with Starter and Growth.',
    },
  ],
  analytics_export: [
    {
      screen: '/analytics',
      file: 'web/features/analytics/AnalyticsPage.tsx',
      offeredIn: 'web/features/analytics/AnalyticsPage.tsx',
      asks: 'featurePlans.analytics_export',
      text: 'analyticsTexts.exportPlan',
      sentence: analyticsTexts.exportPlan,
    },
  ],
  multi_store_dashboard: [
    {
      screen: 'every screen',
      file: 'web/screens/shell/StoreMenu.tsx',
      offeredIn: 'web/screens/shell/StoreMenu.tsx',
      asks: "useHasFeature('multi_store_dashboard')",
      text: 'On the Growth plan: see plans',
      sentence: 'On the Growth plan: see plans',
    },
    ...['web/screens/dashboard/DashboardPage.tsx', 'web/features/analytics/AnalyticsPage.tsx'].map((file) => ({
      screen: file.includes('dashboard') ? '/dashboard' : '/analytics',
      file,
      asks: "useHasFeature('multi_store_dashboard')",
      offeredIn: 'web/features/analytics/AllStoresBar.tsx',
      text: 'analyticsTexts.allStoresPlan',
      sentence: analyticsTexts.allStoresPlan,
    })),
  ],
  roi_tracking: [
    {
      screen: '/analytics',
      file: 'web/features/analytics/AnalyticsPage.tsx',
      offeredIn: 'web/features/analytics/AnalyticsPage.tsx',
      asks: "useHasFeature('roi_tracking')",
      text: 'analyticsTexts.roiPlan',
      sentence: analyticsTexts.roiPlan,
    },
  ],
}

const readSource = (file: string) => readFileSync(file, 'utf8')
const every = Object.entries(prompts).flatMap(([feature, its]) => its.map((prompt) => ({ feature, ...prompt })))

describe('features of larger plans', () => {
  test.each(every)('$feature on $screen: $file asks the price list, and $offeredIn shows the offer', (prompt) => {
    expect(readSource(prompt.file)).toContain(prompt.asks)
    const source =
      readSource(prompt.offeredIn) + (prompt.offeredIn === CAMPAIGN.offeredIn ? readSource(prompt.file) : '')
    expect(source).toContain(prompt.text)
    expect(source).toMatch(/\/pricing|<Upgrade(Prompt|Notice)/)
    expect(readSource('web/features/billing/UpgradeNotice.tsx')).toContain('to="/pricing"')
  })

  test.each(every)('$feature, $text: the text lists the plans that include it', ({ feature, sentence }) => {
    const names = { starter: /Starter/, growth: /Growth/ }
    const smallest = featurePlans[feature as Feature][0] as 'starter' | 'growth'
    expect(sentence).toMatch(names[smallest])
    if (smallest === 'growth') expect(sentence).not.toMatch(names.starter)
  })

  test('every feature has a screen that offers it', () => {
    expect(Object.keys(prompts).sort()).toEqual(Object.keys(featurePlans).sort())
    for (const its of Object.values(prompts)) expect(its.length).toBeGreaterThan(0)
    expect(PlanKey.options.filter((plan) => Object.values(featurePlans).flat().includes(plan))).toEqual([
      'starter',
      'growth',
    ])
  })
})
