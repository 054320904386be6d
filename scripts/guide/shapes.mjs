// Resources of other shapes than the one in the guide. Its checks of format, lint, types and migrations cover them as well.

const SHAPES = [
  `boxes 'name:text(2..80):unique price:decimal petId:int64->pets shipDate:dateTime? sold:boolean=false kind:oneOf(soft|hard)?
    stock:integer(1..1000)=1
    place:{street:text(80) floor:integer(0..99)? isOpen:boolean number:int64 fee:decimal? since:dateTime}?' --singular box --path store/boxes --only list,create,get,update,delete`,
  `lids 'size:decimal(0..9.999)? maker:{name:text(2..9)}? kind:oneOf(flat|round)=flat boxId:int64->boxes' --path store/lids --only list,create`,
  `handles 'lidId:int64->lids? weight:integer maker:email:unique' --only create,delete`,
];

const step = (command) => ({ kind: 'command', title: command.replaceAll(/\s+/g, ' '), command });

export const generateShapes = SHAPES.map((shape) =>
  step(`npm run generate -- ${shape.replaceAll(/\s+/g, ' ')}`),
);
export const testShapes = [step('npm test -- box lid handle ddl')];
