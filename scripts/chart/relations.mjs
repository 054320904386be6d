import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chart } from './render.mjs';

const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));
/** `npm run settings` writes them. */
const settings = schema.definitions.setting.enum;
/** As in docker/prometheus. */
const JOB = 'animal-store';
/** The service exits at most this long after it has drained. */
const CLOSE_MS = 7_500;

/** What no schema knows: how the objects of a release refer to each other, and to the service. */
export function checkRelations(objects) {
  const ofKind = (kind) => objects.filter((object) => object.kind === kind);
  const [deployment] = ofKind('Deployment');
  const [service] = ofKind('Service');
  const pod = deployment.spec.template;

  for (const { spec } of [...ofKind('Deployment'), ...ofKind('Job')]) checkPod(spec.template);
  checkDrain(pod.spec);
  for (const { kind, metadata, spec } of [
    deployment,
    ...ofKind('PodDisruptionBudget'),
    ...ofKind('NetworkPolicy'),
  ]) {
    assert(
      selects((spec.selector ?? spec.podSelector).matchLabels, pod),
      `${kind} ${metadata.name} does not select the replicas`,
    );
  }
  assert(selects(service.spec.selector, pod), 'The Service does not select the replicas');
  for (const job of ofKind('Job')) {
    assert(!selects(service.spec.selector, job.spec.template), 'The Service selects the pods of the Job');
  }
  checkPorts(pod.spec.containers[0], service, ofKind);
  for (const { spec } of ofKind('PrometheusRule')) {
    const rules = parse(readFileSync(join(chart, 'rules.yml'), 'utf8'), { merge: true });
    assert.deepEqual(spec.groups, rules.groups, 'The rules differ from docker/prometheus/rules.yml');
  }
}

const selects = (labels, { metadata }) =>
  Object.entries(labels).every(([name, value]) => metadata.labels[name] === value);

function checkPod({ spec }) {
  const [{ env, volumeMounts }] = spec.containers;
  for (const { name, value } of env) {
    const isSetting = settings.includes(name.replace(/_FILE$/, '')) || name.startsWith('OTEL_');
    assert(isSetting, `${name} is no setting of the service`);
    assert.equal(typeof value, 'string', `The value of ${name} is no text`);
  }
  const mounted = volumeMounts.map(({ name }) => name);
  assert.deepEqual(
    mounted,
    spec.volumes.map(({ name }) => name),
    'The volumes of a pod differ from its mounts',
  );
}

function checkDrain({ terminationGracePeriodSeconds, containers: [{ env }] }) {
  const drainMs = Number(env.find(({ name }) => name === 'SHUTDOWN_DRAIN_MS').value);
  assert(
    terminationGracePeriodSeconds * 1_000 > drainMs + CLOSE_MS,
    'The grace period is shorter than the shutdown',
  );
}

function checkPorts({ ports, startupProbe, livenessProbe, readinessProbe }, service, ofKind) {
  const ofPod = ports.map(({ name }) => name);
  const ofService = service.spec.ports.map(({ name }) => name);
  const used = [
    ...[startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.port),
    ...service.spec.ports.map(({ targetPort }) => targetPort),
    ...ofKind('NetworkPolicy').flatMap(({ spec }) =>
      spec.ingress.flatMap((rule) => rule.ports.map(({ port }) => port)),
    ),
  ];
  for (const port of used) assert(ofPod.includes(port), `${port} is no port of the replicas`);
  for (const { spec } of ofKind('ServiceMonitor')) {
    assert(selects(spec.selector.matchLabels, service), 'The ServiceMonitor does not select the Service');
    assert.equal(service.metadata.labels[spec.jobLabel], JOB, `The rules call the job ${JOB}`);
    for (const { port } of spec.endpoints)
      assert(ofService.includes(port), `${port} is no port of the Service`);
  }
  for (const { spec } of ofKind('Ingress')) {
    const { backend } = spec.rules[0].http.paths[0];
    assert.equal(backend.service.name, service.metadata.name, 'The Ingress names no Service');
    assert(ofService.includes(backend.service.port.name), 'The Ingress names no port of the Service');
  }
}
