import { expect, test } from '@jest/globals'
import { threadLimits } from '@notify/templates'
import {
  base,
  configurationOf,
  deployments,
  environmentOf,
  jobs,
  matches,
  namedDeployments,
  namedWorkloads,
  ofKind,
  podLabels,
  production,
  workloads,
} from './manifests.ts'
import { drainMsOf, readText } from './project.ts'

test.each(namedWorkloads)(
  '%s runs as a numbered user without privileges, on a file system that it cannot change',
  (_name, { spec }) => {
    const pod = spec.template.spec
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      volumes: expect.arrayContaining([{ name: 'tmp', emptyDir: expect.anything() }]),
    })
    expect(pod.securityContext.runAsUser).toBeGreaterThan(0)
    expect(pod.containers).toHaveLength(1)
    expect(pod.containers[0]).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      volumeMounts: expect.arrayContaining([{ name: 'tmp', mountPath: '/tmp' }]),
      resources: {
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      },
    })
  },
)

const mebibytes = (quantity: string): number => Number.parseInt(quantity, 10) * (quantity.endsWith('Gi') ? 1024 : 1)

const streamMebibytesOf = (service: string) =>
  Number(
    /STREAM_MEMORY: z[^d]+default\((\d+) \* 1024 \* 1024\)/.exec(readText(`services/${service}/src/config.ts`))![1],
  )

test.each([
  ['gateway', 0, streamMebibytesOf('gateway')],
  ['inbox-stream', 0, streamMebibytesOf('inbox-stream')],
  ['dispatch-api', 3, 0],
  ['dispatch-worker', 3, 0],
])(
  'the memory limit of %s holds its heap, %i render threads, %i MiB of streams and the bodies it receives',
  (name, threads, streams) => {
    const [container] = deployments.find(({ metadata }) => metadata.name === name)!.spec.template.spec.containers
    const heap = Number(/^--max-old-space-size=(\d+)$/.exec(container.args[0])![1])
    const thread = threadLimits.maxOldGenerationSizeMb + threadLimits.maxYoungGenerationSizeMb
    // The young generation, bodies and responses in flight, and the program itself.
    const [young, bodies, program] = [48, 64, 80]
    const needed = heap + young + bodies + program + streams + threads * thread
    expect(mebibytes(container.resources.limits.memory)).toBeGreaterThanOrEqual(needed)
  },
)

test('the user is the one of the image', () => {
  const [, user, group] = /^USER (\d+):(\d+)$/m.exec(readText('infra/Dockerfile'))!
  for (const { spec } of workloads) {
    expect(spec.template.spec.securityContext).toMatchObject({ runAsUser: Number(user), runAsGroup: Number(group) })
  }
})

test.each(namedDeployments)('%s is probed where it listens', (_name, deployment) => {
  const [container] = deployment.spec.template.spec.containers
  const given = Object.fromEntries(environmentOf(deployment).map(({ name, value }) => [name, value]))
  expect(container.ports).toEqual([
    { name: 'http', containerPort: Number(given.PORT) },
    { name: 'metrics', containerPort: Number(given.METRICS_PORT) },
  ])
  expect(container).toMatchObject({
    startupProbe: { httpGet: { path: '/healthz', port: 'metrics' } },
    readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
    livenessProbe: { httpGet: { path: '/healthz', port: 'metrics' } },
  })
})

test.each(namedDeployments)('%s is given longer to end than its drain may take', (_name, deployment) => {
  const given = Object.fromEntries(environmentOf(deployment).map(({ name, value }) => [name, value]))
  expect(given.DRAIN_DELAY).toBe('5s')
  expect(deployment.spec.template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(
    drainMsOf(configurationOf(deployment), given),
  )
})

test('servers leave the schema to the migration, which ends and is tidied away', () => {
  for (const deployment of deployments) {
    expect(environmentOf(deployment)).toContainEqual({ name: 'MIGRATE_ON_START', value: 'false' })
  }
  for (const { spec } of jobs) {
    expect(spec).toMatchObject({
      backoffLimit: expect.any(Number),
      ttlSecondsAfterFinished: expect.any(Number),
      template: { spec: { restartPolicy: 'Never' } },
    })
    // It would end an index that takes longer again and again.
    expect(spec).not.toHaveProperty('activeDeadlineSeconds')
    expect(spec.template.spec.containers[0].args).toEqual(['main.mjs', 'migrate'])
  }
})

test('no server is alone', () => {
  const autoscalers = ofKind(base, 'HorizontalPodAutoscaler')
  for (const { metadata, spec } of deployments) {
    const autoscaler = autoscalers.find((candidate) => candidate.spec.scaleTargetRef.name === metadata.name)
    // An autoscaler and a number in the manifest would undo each other at every apply.
    if (autoscaler) expect([metadata.name, spec.replicas]).toEqual([metadata.name, undefined])
    expect(autoscaler?.spec.minReplicas ?? spec.replicas).toBeGreaterThanOrEqual(2)
  }
  const scaled = autoscalers.map(({ spec }) => spec.scaleTargetRef.name)
  expect(scaled.sort()).toEqual(['dispatch-api', 'gateway'])
})

test('replicas spread over nodes and zones, by selectors that Kubernetes accepts', () => {
  for (const deployment of deployments) {
    const constraints = deployment.spec.template.spec.topologySpreadConstraints
    expect(constraints.map(({ topologyKey }: { topologyKey: string }) => topologyKey).sort()).toEqual([
      'kubernetes.io/hostname',
      'topology.kubernetes.io/zone',
    ])
    for (const { labelSelector, matchLabelKeys } of constraints) {
      expect(matches(labelSelector.matchLabels, podLabels(deployment))).toBe(true)
      // A key in both is refused by the API server.
      expect(matchLabelKeys.filter((key: string) => key in labelSelector.matchLabels)).toEqual([])
    }
  }
})

test('a node can be drained while pods are not ready, such as all that wait for Postgres', () => {
  const budgets = ofKind(base, 'PodDisruptionBudget')
  expect(budgets.length).toBe(deployments.length)
  for (const { spec } of budgets) expect(spec.unhealthyPodEvictionPolicy).toBe('AlwaysAllow')
})

test.each([
  ['base', base],
  ['production', production],
])('images of %s are pinned to a version', (_name, resources) => {
  const images = [...ofKind(resources, 'Deployment'), ...ofKind(resources, 'Job')].map(
    ({ spec }) => spec.template.spec.containers[0].image as string,
  )
  expect(
    images.filter((image) => !/^registry\.example\.com\/[a-z/-]+:\d+\.\d+\.\d+(@sha256:[0-9a-f]{64})?$/.test(image)),
  ).toEqual([])
})
