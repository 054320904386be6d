import { indentJson } from './exact-json.js';

/** What Swagger UI lacks: marks of stability, the end of an operation in plain sight, and all digits of int64. */
export const AnimalStorePlugin = (system) => {
  const { React } = system;
  const h = React.createElement;
  return {
    wrapComponents: {
      OperationSummaryPath: withMarks(h, system),
      responseBody: withAllDigits(h),
      headers: folded(h),
    },
    fn: { getSampleSchema: keepText(system.fn.getSampleSchema) },
  };
};

const withMarks = (h, { specSelectors }) => {
  // A link inside a button cannot be reached; the button opens the operation, and the address follows.
  const PlainPath = ({ text }) => h('span', null, text);
  return (Path) => (props) => {
    const { path, method } = props.operationProps.toObject();
    const about = (name) => specSelectors.specJson().getIn(['paths', path, method, name]);
    const stability = about('x-stability');
    const notice = about('x-deprecation');
    return h(
      'span',
      { className: 'marked-path' },
      h(Path, {
        ...props,
        getComponent: (name, ...rest) =>
          name === 'DeepLink' ? PlainPath : props.getComponent(name, ...rest),
      }),
      stability && h('span', { className: `stability stability-${stability}` }, stability),
      notice && h('span', { className: 'deprecation-notice' }, notice),
    );
  };
};

/** The headers of every answer are listed with each; unfolded, they hide the rest. */
const folded = (h) => (Headers) => (props) =>
  props.headers?.size
    ? h('details', { className: 'response-headers' }, h('summary', null, 'Headers'), h(Headers, props))
    : null;

/** Swagger UI reads an answer with JSON.parse to indent it, and so rounds what is beyond 2^53. */
const withAllDigits = (h) => (ResponseBody) => (props) => {
  const { content, contentType, getComponent } = props;
  const json = typeof content === 'string' && /json/i.test(contentType) && indentJson(content);
  if (!json) return h(ResponseBody, props);
  const HighlightCode = getComponent('HighlightCode', true);
  const options = { language: 'json', downloadable: true, fileName: 'response.json', canCopy: true };
  return h('div', null, h('h5', null, 'Response body'), h(HighlightCode, options, json));
};

/** An example that is text already, because of its large numbers, is shown as it is. */
const keepText = (sample) => (schema, contentType, options, example) =>
  typeof example === 'string' && indentJson(example) && /json/i.test(contentType ?? '')
    ? example
    : sample(schema, contentType, options, example);
